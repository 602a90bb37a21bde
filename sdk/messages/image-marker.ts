/** A piece of user text: words, or an image that stood in it as a marker. */
export type TextPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mime: string; readonly data: string };

const OPEN = "[IMAGE:data:";
const MIME = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Splits text at its `[IMAGE:data:<mime>;base64,<data>]` markers, in order. What is not a whole
 * marker stays text, letter for letter; text between markers that is only white space is left out.
 * Never empty: no text is one empty part.
 */
export function splitImages(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, open + 1)) {
    const close = text.indexOf("]", open);
    if (close < 0) break;
    const image = readMarker(text.slice(open + OPEN.length, close));
    if (!image) continue;
    pushText(parts, text.slice(from, open));
    parts.push(image);
    from = close + 1;
    open = close;
  }
  pushText(parts, text.slice(from));
  return parts.length > 0 ? parts : [{ type: "text", text }];
}

function readMarker(inner: string): TextPart | undefined {
  const comma = inner.indexOf(",");
  const head = inner.slice(0, Math.max(0, comma));
  const data = inner.slice(comma + 1);
  const mime = head.endsWith(";base64") ? head.slice(0, -";base64".length) : "";
  return MIME.test(mime) && data.length % 4 === 0 && BASE64.test(data)
    ? { type: "image", mime: mime.toLowerCase(), data }
    : undefined;
}

function pushText(parts: TextPart[], text: string): void {
  if (text.trim() !== "") parts.push({ type: "text", text });
}
