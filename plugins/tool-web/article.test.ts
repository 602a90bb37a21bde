import { expect, test } from "vitest";
import { articleOf } from "./article.ts";
import { PageText } from "./page-text.ts";
import { pageTree } from "./page-tree.ts";

/** A sentence of an article, and one of what stands around it. */
const told = (n: number): string =>
  `The ${n}th sentence of the story tells, with a comma, how it went on that day. `;
const noise = (n: number): string =>
  `Noise ${n}: click here, win a prize, follow us, read this instead of that. `;
const story = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `<p>${told(from + i).repeat(3)}</p>`).join("\n");
const links = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `<li><a href="/${i}">Some other headline of the day, number ${i}</a></li>`,
  ).join("");

/** Pages as different makers build them; each tells the sentences 1 to 5 and holds noise. */
const kinds: Readonly<Record<string, string>> = {
  "a page of plain paragraphs": `<body>${story(1, 6)}</body>`,
  "a blog with article and aside": `<body><header><nav>${links(9)}</nav></header><article><h1>T</h1>${story(1, 6)}</article><aside><p>${noise(1)}</p></aside></body>`,
  "a newspaper of nested boxes": `<div id="page"><div class="top-menu"><ul>${links(30)}</ul></div><div class="row"><div class="col-8"><div class="story-body">${story(1, 6)}</div></div><div class="col-4 sidebar"><p>${noise(2)}</p><ul>${links(20)}</ul></div></div></div>`,
  "a wiki with a table of contents": `<div id="content"><h1>T</h1><div id="toc" class="toc"><ul>${links(8)}</ul></div>${story(1, 4)}<h2>More</h2>${story(4, 6)}</div><div id="p-navigation" role="navigation"><p>${noise(3)}</p></div>`,
  "documentation with main": `<nav class="sidebar">${links(60)}</nav><main><h1>T</h1>${story(1, 3)}<pre>code()</pre>${story(3, 6)}</main><footer><p>${noise(4)}</p></footer>`,
  "a page with role=main": `<div role="banner"><p>${noise(5)}</p></div><div role="main">${story(1, 6)}</div><div role="contentinfo">${noise(6)}</div>`,
  "text in boxes without paragraphs": `<div class="menu">${links(10)}</div><div class="text"><div>${told(1)}<br><br>${told(2)}</div><div>${told(3)}</div><div>${told(4)}${told(5)}</div></div>`,
  "an old page of tables": `<table><tr><td width=100><ul>${links(10)}</ul></td><td>${story(1, 6)}</td></tr></table>`,
  "a forum with answers": `<div class="breadcrumbs">${links(4)}</div><div class="question">${story(1, 3)}</div><div class="answer">${story(3, 6)}</div><div class="related-questions"><p>${noise(7)}</p></div>`,
  "a page with a consent box": `<div class="cookie-consent"><p>${noise(8)}</p></div><div class="content">${story(1, 6)}</div>`,
  "a page with a share bar and a newsletter": `<article>${story(1, 4)}<div class="social-share"><p>${noise(9)}</p></div>${story(4, 6)}<form class="newsletter"><p>${noise(10)}</p></form></article>`,
  "hidden parts": `<div style="display:none">${noise(11)}</div><div hidden>${noise(12)}</div><div aria-hidden="true">${noise(13)}</div>${story(1, 6)}`,
  "a page whose body hides itself": `<html style="visibility:hidden"><body style="display:none">${story(1, 6)}</body></html>`,
  "a release note of lists": `<main><h1>1.2.0</h1><ul>${[1, 2, 3, 4, 5].map((n) => `<li>${told(n)}</li>`).join("")}</ul></main><aside>${noise(14)}</aside>`,
  definitions: `<dl>${[1, 2, 3, 4, 5].map((n) => `<dt>Term ${n}</dt><dd>${told(n)}</dd>`).join("")}</dl><footer>${noise(15)}</footer>`,
  "a page with a comment section": `<article>${story(1, 6)}</article><section id="comments"><p>${noise(16)}</p></section>`,
  "unclosed elements": `<div class=content><p>${told(1)}<p>${told(2)}<p>${told(3)}<ul><li>${told(4)}<li>${told(5)}</ul>`,
  "custom elements": `<app-root><app-header><nav>${links(5)}</nav></app-header><app-article>${story(1, 6)}</app-article></app-root>`,
  "scripts and templates": `<script>document.write("${noise(17)}")</script><template><p>${noise(18)}</p></template><noscript>${noise(19)}</noscript>${story(1, 6)}`,
  "a recipe between boxes": `<section class="hero"><h1>Soup</h1></section><section>${story(1, 6)}</section><section class="recommendations"><p>${noise(20)}</p>${links(10)}</section>`,
};

test.each(Object.entries(kinds))("AGT-08: the readable text of %s is its article", (_, html) => {
  const { body } = pageTree(html);
  const { text } = PageText.of(articleOf(body), "http://a.example/");
  const missing = [1, 2, 3, 4, 5].filter((n) => !text.includes(told(n).trim()));
  expect([missing, text.match(/Noise \d+|Some other headline/g) ?? []]).toEqual([[], []]);
});
