import type { ToolQuestion } from "../tools/tool-question.ts";

/**
 * Returns a tool's question in words; every line of the tool's has a margin, so that none can pass
 * for the host's.
 */
export function toolQuestionText({ tool, text, url, form }: ToolQuestion): string {
  const lines = [`The tool ${tool} asks, in its own words:`, ...margin(text)];
  if (url !== undefined) lines.push("It wants you to open this address:", ...margin(url));
  const fields = Object.entries(form?.properties ?? {});
  if (fields.length > 1) lines.push("Answer with a line for each, as in `name: value`:");
  for (const [name, { description = "", enum: known }] of fields) {
    const kinds = known ? ` (${known.join(", ")})` : "";
    const must = form?.required?.includes(name) === true ? "" : " (may be left out)";
    if (fields.length > 1 || known) lines.push(...margin(`${name}${kinds}${must} ${description}`.trim()));
  }
  return lines.join("\n");
}

function margin(text: string): readonly string[] {
  return text.split("\n").map((line) => `| ${line}`);
}
