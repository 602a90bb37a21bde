import { exportsOf } from "../test/helpers/sdk-surface.ts";

/** The doors of the sdk, in the order in which a page lists them. */
const doors: Readonly<Record<string, string>> = {
  "@gantry/sdk": "index.ts",
  "@gantry/sdk/fill": "fill.ts",
  "@gantry/sdk/channel": "channel-kit/index.ts",
  "@gantry/sdk/provider": "provider-kit/index.ts",
  "@gantry/sdk/node": "node/index.ts",
  "@gantry/sdk/testing": "testing/index.ts",
};
const heading = "## Doors of these names";
const blocks = /^```[^]*?^```/gm;

/**
 * Returns a page of sdk/docs with the door of each name that its words hold, as a table at its end.
 */
export function withDoors(page: string): string {
  const text = page.split(`\n${heading}\n`)[0]!.trimEnd();
  const said = namesIn(text.replaceAll(blocks, ""));
  const rows = Object.entries(doors).flatMap(([door, file]) => {
    const names = new Set(exportsOf(file).map((id) => id.split("#")[1] ?? ""));
    const here = said.filter((name) => names.has(name)).toSorted();
    return here.length > 0 ? [`| \`${door}\` | ${here.map((name) => `\`${name}\``).join(", ")} |`] : [];
  });
  return `${text}\n\n${heading}\n\nWritten by \`npm run reference\`.\n\n| import from | the names |\n|---|---|\n${rows.join("\n")}\n`;
}

/**
 * Returns the words in backticks that may be a name of the sdk: a type or slot, or what is called.
 */
function namesIn(text: string): readonly string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const names = spans.flatMap((span) => [
    ...[...span.matchAll(/(?<![\w.$])[A-Z]\w*[a-z]\w*/g)].map(([name]) => name),
    ...(/^[a-z]\w+(?=\((?:…|.*\)$))|^[a-z]+(?:[A-Z]\w*)$/.exec(span) ?? []),
  ]);
  // `ask({ … })` is the member of a run; the guard's own is written `ask(…)`.
  return [...new Set(names)].filter((name) => name !== "ask" || text.includes("`ask(…)`"));
}
