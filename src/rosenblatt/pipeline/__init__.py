"""From a source to a model with an honest estimate: what the commands do, without their words."""
