import { definePlugin, Media, Routes, textParts, Tools, defineTool, type MediaRef } from "@gantry/sdk";
import { Type } from "typebox";
import { drawBars } from "./draw-bars.ts";

/** The words of people and models are text on the page, never markup. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}

export default definePlugin({
  name: "route-page",
  summary: "Draws numbers as bars: a picture for the model, and the last one on a page for people.",
  needs: { media: Media },
  provides: [Routes, Tools],
  setup(host) {
    const { media } = host.needs;
    let shown: { readonly picture: MediaRef; readonly title: string } | undefined;
    const draw = defineTool({
      name: "draw_bars",
      description: "Draws numbers as bars; you are shown the picture.",
      input: Type.Object({
        title: Type.String({ maxLength: 200 }),
        numbers: Type.Array(Type.Number({ minimum: 0, maximum: 100 }), { minItems: 1, maxItems: 40 }),
      }),
      effects: () => ({}),
      async run({ args: { title, numbers }, user }) {
        const picture = await media.put(drawBars(numbers), { mime: "image/png", alt: title, user });
        shown = { picture, title };
        return { parts: [...textParts(title), { type: "media", media: picture }], failed: false };
      },
    });
    host.provide(Tools, draw);
    host.provide(Routes, {
      name: "GET /bars",
      method: "GET",
      path: "/bars",
      auth: "token",
      may: "read",
      summary: "The last bars as a page.",
      async handle() {
        const title = escaped(shown?.title ?? "Nothing was drawn yet.");
        const image = shown ? `<img src="/bars.png" alt="${title}">` : "";
        const headers = {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": "default-src 'none'; img-src 'self'",
        };
        return { status: 200, text: `<!doctype html><title>Bars</title><h1>${title}</h1>${image}`, headers };
      },
    });
    host.provide(Routes, {
      name: "GET /bars.png",
      method: "GET",
      path: "/bars.png",
      auth: "token",
      may: "read",
      summary: "The picture of the page.",
      async handle() {
        const bytes = shown && (await media.open(shown.picture.id));
        if (!bytes) return { status: 404, text: "Nothing was drawn yet." };
        return { status: 200, bytes, headers: { "content-type": "image/png" } };
      },
    });
  },
});
