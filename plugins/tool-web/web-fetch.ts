import { type Net, type Tool, type ToolResult, type ToolRun, defineTool } from "@gantry/sdk";
import type { WebPage } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import type { PageReader } from "./read-page.ts";

export interface WebOptions {
  /** Undefined if no plugin opens addresses. */
  readonly net: Net | undefined;
  readonly reader: PageReader;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** Characters of one answer; the rest is a further call away. */
const PAGE_SIGNS = 40_000;
const MAX_LINKS = 100;
/** The words around the text need room too. */
const FRAME_BYTES = 1_024;

/** The readable text of what an address answers. */
export async function readAddress(
  { net, reader, timeoutMs }: WebOptions,
  url: string,
  signal: AbortSignal,
  progress?: ToolRun<unknown>["progress"],
): Promise<WebPage> {
  if (!net) throw errors.WEB_NO_NET();
  const { fetchPage } = await import("./fetch-page.ts");
  const page = await fetchPage(net, url, { signal, timeoutMs, ...(progress && { progress }) });
  const read = await reader.read(page, signal);
  return { url: page.url, status: page.status, ...read, cut: page.cut || read.cut };
}

export function webFetchTool(options: WebOptions): Tool {
  const { net, timeoutMs, maxOutputBytes } = options;
  return defineTool({
    name: "web_fetch",
    description:
      "Opens an address by GET and gives the readable text of the page, with its links numbered. Scripts of the page do not run.",
    input: Type.Object({
      url: Type.String({ minLength: 1, maxLength: 4_096, description: "With http:// or https://." }),
      offset: Type.Optional(
        Type.Integer({ minimum: 1, description: "The first character of the text to give; default 1." }),
      ),
    }),
    parallel: true,
    timeoutMs,
    offered: () => net !== undefined,
    effects: ({ url }) => ({ urls: [url] }),
    preview: ({ url }) => `open ${url}`,
    async run({ args: { url, offset = 1 }, signal, progress }) {
      const page = await readAddress(options, url, signal, progress);
      return report(page, { offset, room: maxOutputBytes - FRAME_BYTES });
    },
  });
}

function report(
  { url, status, cut, title, text, links }: WebPage,
  { offset, room }: { readonly offset: number; readonly room: number },
): ToolResult {
  const failed = status >= 400;
  const head = [...(title === "" ? [] : [title]), url];
  if (failed) head.unshift(`HTTP ${status}`);
  if (text === "") return { text: [...head, "[there is no text]"].join("\n"), failed };
  if (offset > text.length)
    return { text: [...head, `[the text has only ${text.length} characters]`].join("\n"), failed };

  const from = offset - 1;
  const shown = fitting(text.slice(from, from + PAGE_SIGNS), room);
  const last = from + shown.length;
  const notes = [
    ...(last < text.length || from > 0 ? [`characters ${offset}-${last} of ${text.length}`] : []),
    ...(last < text.length ? [`go on with offset ${last + 1}`] : []),
    ...(cut ? ["the page is longer than what was read"] : []),
  ];
  const frame = notes.length > 0 ? [`[${notes.join("; ")}]`] : [];
  const told = linksIn(shown, links, room - Buffer.byteLength(shown));
  return { text: [...head, "", shown, ...told, ...frame].join("\n"), failed };
}

/** As much of a text as there is room for. */
function fitting(text: string, room: number): string {
  if (Buffer.byteLength(text) <= room) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, Math.max(0, room)), { stream: true });
}

/** The addresses of the links that stand in what is shown. */
function linksIn(shown: string, links: readonly string[], room: number): readonly string[] {
  const numbers = new Set(Array.from(shown.matchAll(/\[(\d+)\]/g), ([, digits]) => Number(digits)));
  const known = [...numbers].filter((number) => links[number - 1] !== undefined).toSorted((a, b) => a - b);
  const lines: string[] = [];
  let left = room;
  for (const number of known.slice(0, MAX_LINKS)) {
    const line = `[${number}] ${links[number - 1]}`;
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length > 0 ? ["", ...lines] : [];
}
