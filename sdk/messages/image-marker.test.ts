import * as fc from "fast-check";
import { expect, test } from "vitest";
import { splitImages } from "./image-marker.ts";
import { processorMs } from "../../test/helpers/processor-time.ts";

test("PRV-01: markers become images in order, the words between them stay", () => {
  expect(
    splitImages("See [IMAGE:data:image/png;base64,iVBORw0=]\n[IMAGE:data:image/jpeg;base64,/9j/4AAQ] please"),
  ).toEqual([
    { type: "text", text: "See " },
    { type: "image", mime: "image/png", data: "iVBORw0=" },
    { type: "image", mime: "image/jpeg", data: "/9j/4AAQ" },
    { type: "text", text: " please" },
  ]);
});

test.each([
  "[IMAGE:data:image/png;base64,]",
  "[IMAGE:data:image/png;base64,AAA]",
  "[IMAGE:data:image/png;base64,AA AA]",
  "[IMAGE:data:image/png,AAAA]",
  "[IMAGE:data:png;base64,AAAA]",
  "[IMAGE:data:image/png;base64,AAAA",
  "[IMAGE:https://host/a.png]",
  "[image:data:image/png;base64,AAAA]",
  "",
  " ",
])("PRV-01: the broken marker %j stays text, letter for letter", (text) => {
  expect(splitImages(text)).toEqual([{ type: "text", text }]);
});

test("PRV-01: a broken marker does not hide the whole one behind it", () => {
  const parts = splitImages("[IMAGE:data:[IMAGE:data:image/png;base64,AAAA]");
  expect(parts).toEqual([
    { type: "text", text: "[IMAGE:data:" },
    { type: "image", mime: "image/png", data: "AAAA" },
  ]);
});

test("PRV-01: no letter of any text is lost, and a hostile one takes no time", async () => {
  const piece = fc.constantFrom("[IMAGE:data:", "image/png", ";base64,", "aaaa", "]", "[", "word");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join("");
      const back = splitImages(text).map((part) =>
        part.type === "text" ? part.text : `[IMAGE:data:${part.mime};base64,${part.data}]`,
      );
      expect(back.join("")).toBe(text);
    }),
  );
  const spent = await processorMs(() => {
    splitImages("[IMAGE:data:".repeat(20_000));
    splitImages(`[IMAGE:data:image/png;base64,${"A".repeat(4_000_000)}]`);
  });
  expect(spent).toBeLessThan(1_000);
});
