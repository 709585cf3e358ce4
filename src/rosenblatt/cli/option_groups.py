"""Options that commands share, written once: a command asks for all of them by one name."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple

Command = Callable[..., None]


class Option(NamedTuple):
    """The type of an option, as typer reads it, and its value where it is not given."""

    annotation: Any
    default: Any = None


def option_group(
    name: str, options: Mapping[str, Option], gathered: Callable[..., Any]
) -> Callable[[Command], Command]:
    """Let a command take options, and get what `gathered` makes of them as one argument."""

    def decorate(command: Command) -> Command:
        own = inspect.signature(command)
        parameters = [p for p in own.parameters.values() if p.name != name]
        parameters += [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=d, annotation=a)
            for key, (a, d) in options.items()
        ]

        @wraps(command)
        def with_options(**given: Any) -> None:
            taken = {key: given.pop(key) for key in options}
            command(**given, **{name: gathered(**taken)})

        with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate
