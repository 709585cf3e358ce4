"use strict";
// Moves through the epochs of a run: the data of each are in the page.
const controls = document.querySelector(".replay");
if (controls) {
  const frames = JSON.parse(document.getElementById("frames").textContent);
  const slider = controls.querySelector("input");
  const button = controls.querySelector("button");
  const caption = controls.querySelector("output");
  const cells = document.querySelectorAll("[data-cell]");
  const line = document.querySelector("[data-boundary]");
  const shade = document.querySelector("[data-shade]");
  const weights = document.querySelectorAll("[data-weight]");
  const marks = document.querySelectorAll("[data-places]");
  let clock = null;

  const show = (number) => {
    const frame = frames[number];
    cells.forEach((cell, k) => cell.setAttribute("points", frame.cells[k]));
    if (line) line.setAttribute("d", frame.line);
    if (shade) shade.setAttribute("href", frame.shade);
    weights.forEach((weight, k) => { weight.textContent = frame.weights[k]; });
    marks.forEach((mark) => {
      const x = JSON.parse(mark.dataset.places)[number];
      mark.setAttribute("x1", x);
      mark.setAttribute("x2", x);
    });
    caption.textContent = frame.text;
    slider.value = number;
    slider.setAttribute("aria-valuetext", frame.text);
  };
  const pause = () => {
    clearInterval(clock);
    clock = null;
    button.textContent = "Play";
  };
  const step = () => {
    const next = Number(slider.value) + 1;
    if (next < frames.length) show(next);
    if (next >= frames.length - 1) pause();
  };
  const play = () => {
    show(0);
    clock = setInterval(step, 700);
    button.textContent = "Pause";
  };
  slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
  button.addEventListener("click", () => (clock ? pause() : play()));
}
