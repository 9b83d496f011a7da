// SPDX-License-Identifier: GPL-2.0-or-later
// Of a flame graph: a click on a frame makes it as wide as the picture, a search marks frames.
// It stands in the picture itself and draws what is not there without it: buttons, the line below.
(function () {
"use strict";
const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
const CHAR = 7.2, SIDE = 10;
const svg = document.currentScript.ownerSVGElement;
const page = svg.viewBox.baseVal;
const inside = page.width - 2 * SIDE;
let frames = [], zoomed = null, pattern = null;
let reset, button, found, line, field;		// what start() adds to the picture

// --- what is there

// A frame's tip is "name (numbers)"; numbers have no parentheses.
function nameOf(tip) {
	return tip.slice(0, tip.lastIndexOf(" ("));
}

function readFrame(group) {
	const rect = group.querySelector("rect"), tip = group.querySelector("title").textContent;
	const number = key => parseFloat(rect.getAttribute(key));

	group.setAttribute("tabindex", "0");
	return {
		group: group, rect: rect, text: group.querySelector("text"), tip: tip, name: nameOf(tip),
		x: number("x"), y: number("y"), width: number("width"),
	};
}

function addText(x, y, classes, words) {
	const text = document.createElementNS(SVG, "text");

	text.setAttribute("x", x);
	text.setAttribute("y", y);
	text.setAttribute("class", classes);
	text.textContent = words;
	svg.appendChild(text);
	return text;
}

// --- drawing

// Two points stand for what does not fit.
function fit(name, width) {
	const room = Math.floor((width - 6) / CHAR);

	if (name.length <= room)
		return name;
	return room >= 4 ? name.slice(0, room - 2) + ".." : "";
}

function label(frame, x, width) {
	const words = fit(frame.name, width);

	if (!frame.text && words) {
		frame.text = document.createElementNS(SVG, "text");
		frame.text.setAttribute("y", frame.y + 12);
		frame.group.appendChild(frame.text);
	}
	if (!frame.text)
		return;
	frame.text.setAttribute("x", x + 3);
	frame.text.textContent = words;
}

function place(frame, x, width) {
	frame.rect.setAttribute("x", x);
	frame.rect.setAttribute("width", width);
	label(frame, x, width);
}

// Coordinates are rounded to hundredths.
function isWithin(inner, outer) {
	return inner.x >= outer.x - 0.02 && inner.x + inner.width <= outer.x + outer.width + 0.02;
}

function isAbove(frame, base) {
	return frame.y <= base.y;
}

// Where a frame stands while another is as wide as the picture: null is nowhere.
function placeIn(frame, base) {
	const scale = inside / base.width;

	if (frame === base || (!isAbove(frame, base) && isWithin(base, frame)))
		return { x: SIDE, width: inside };
	if (!isAbove(frame, base) || frame.y === base.y || !isWithin(frame, base))
		return null;
	return { x: SIDE + (frame.x - base.x) * scale, width: frame.width * scale };
}

function show(frame, base) {
	const at = base ? placeIn(frame, base) : frame;

	frame.group.style.display = at ? "" : "none";
	frame.group.classList.toggle("wide", !!base && frame !== base && !isAbove(frame, base));
	if (at)
		place(frame, at.x, at.width);
}

function zoom(base) {
	zoomed = base && base.width < inside - 0.02 ? base : null;
	frames.forEach(frame => show(frame, zoomed));
	reset.style.display = zoomed ? "" : "none";
	say(base);
	mark();
}

// --- search

function isHit(frame) {
	return pattern !== null && pattern.test(frame.name);
}

// The width of all that was found, what lies inside of something found not counted twice.
function widthOf(hits) {
	let end = -1, sum = 0;

	hits.sort((a, b) => a.x - b.x || b.width - a.width);
	hits.forEach(frame => {
		const from = Math.max(frame.x, end), to = frame.x + frame.width;

		if (to > from)
			sum += to - from;
		end = Math.max(end, to);
	});
	return sum;
}

function mark() {
	const shown = frames.filter(frame => frame.group.style.display !== "none");
	const base = zoomed || { x: SIDE, width: inside };
	const hits = [];

	frames.forEach(frame => frame.group.classList.toggle("hit", isHit(frame)));
	shown.forEach(frame => {
		if (isHit(frame))
			hits.push(isWithin(frame, base) ? frame : base);
	});
	found.textContent = pattern === null ? "" :
		"found: " + (100 * widthOf(hits) / base.width).toFixed(2) + " %";
}

// What is no regular expression is looked for as it is.
function compile(words) {
	try {
		return new RegExp(words);
	} catch (error) {
		return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	}
}

function search(words) {
	pattern = words ? compile(words) : null;
	mark();
}

function makeInput() {
	const box = document.createElementNS(SVG, "foreignObject");
	const input = document.createElementNS(HTML, "input");

	box.setAttribute("x", page.width - SIDE - 240);
	box.setAttribute("y", 22);
	box.setAttribute("width", 240);
	box.setAttribute("height", 22);
	box.style.display = "none";
	input.setAttribute("placeholder", "regular expression");
	input.setAttribute("style", "box-sizing:border-box;width:240px;height:20px;font:12px monospace;" +
		"color-scheme:light dark");
	input.addEventListener("input", () => search(input.value));
	box.appendChild(input);
	svg.appendChild(box);
	return { box: box, input: input };
}

function openSearch() {
	field.box.style.display = "";
	button.style.display = "none";
	field.input.focus();
}

function closeSearch() {
	field.input.value = "";
	field.box.style.display = "none";
	button.style.display = "";
	search("");
}

// --- who does what

function say(frame) {
	line.textContent = frame ? frame.tip : "";
}

function frameOf(target) {
	const group = target.closest ? target.closest("g.f") : null;

	return group ? frames[group.dataset.number] : null;
}

function pressKey(event) {
	const frame = frameOf(event.target);

	if (event.key === "Escape") {
		if (field.box.style.display === "")
			closeSearch();
		else
			zoom(null);
	} else if (event.key === "/" && event.target !== field.input) {
		event.preventDefault();
		openSearch();
	} else if (event.key === "Enter" && frame) {
		zoom(frame);
	}
}

function addWords() {
	reset = addText(SIDE, 38, "button", "reset zoom");
	found = addText(SIDE + 100, 38, "", "");
	button = addText(page.width - SIDE, 38, "button right", "search");
	line = addText(SIDE, page.height - 28, "", "");
	field = makeInput();
	reset.style.display = "none";
	reset.addEventListener("click", () => zoom(null));
	button.addEventListener("click", openSearch);
}

function start() {
	frames = Array.from(svg.querySelectorAll("g.f"), readFrame);
	frames.forEach((frame, i) => { frame.group.dataset.number = i; });
	addWords();
	svg.addEventListener("click", event => {
		const frame = frameOf(event.target);

		if (frame)
			zoom(frame);
	});
	svg.addEventListener("mouseover", event => say(frameOf(event.target)));
	svg.addEventListener("focusin", event => say(frameOf(event.target)));
	svg.addEventListener("keydown", pressKey);
}

// The script stands before the frames.
document.addEventListener("DOMContentLoaded", start);
})();
