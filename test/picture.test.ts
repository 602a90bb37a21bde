import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { drawPicture, pictureFile } from "../.ci/picture.ts";
import { screenSvg } from "../.ci/screen-svg.ts";

test("AGT-09: the picture of the first page is what `npm run picture` draws of a real conversation", async () => {
  expect(await drawPicture()).toBe(readFileSync(pictureFile, "utf8"));
});

test("AGT-09: a picture shows a screen cell by cell, in its colours, and nothing in it is markup", async () => {
  const svg = await screenSvg("\u001b[1mOne\u001b[22m \u001b[31m<two>\u001b[39m\r\n  &", 20, "A screen");
  expect(svg).toContain('x="16.0" y="30" textLength="25.2" fill="#d6d8de" font-weight="bold">One</text>');
  expect(svg).toContain('x="49.6" y="30" textLength="42.0" fill="#e0707a">&lt;two&gt;</text>');
  expect(svg).toContain('x="32.8" y="49" textLength="8.4" fill="#d6d8de">&amp;</text>');
});
