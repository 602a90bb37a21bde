import { counted, defineTool, type Tool } from "@gantry/sdk";
import type { ToolFacts } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { ranked } from "./ranked.ts";

const maxFound = 8;
/** The bound of one description, which a server may have written without end. */
const maxDescription = 1_000;
/** The bound of one input schema as JSON. */
const maxInput = 8_000;

/**
 * Makes the tool that finds deferred tools by words; `deferred` lists those of the turn that asks.
 */
export function searchTool(deferred: () => Promise<readonly ToolFacts[]>): Tool {
  return defineTool({
    name: "tool_search",
    description:
      "Finds further tools, which are not listed here, by words for what they do or by name, and gives their inputs. Call what it finds by tool_call.",
    input: Type.Object({
      query: Type.String({ minLength: 1, maxLength: 1_000, description: "Words, such as `create issue`." }),
    }),
    parallel: true,
    async run({ args: { query } }) {
      const all = await deferred();
      const found = ranked(all, query);
      const shown = found.slice(0, maxFound).map(shownTool);
      return [...shown, summary(all, found)].join("\n\n");
    },
  });
}

function shownTool({ name, description, input }: ToolFacts): string {
  const schema = JSON.stringify(input);
  const fits = schema.length <= maxInput;
  const shown = fits
    ? `input: ${schema}`
    : `input too long to be shown (${counted(schema.length, "character")})`;
  return `${name}: ${description.slice(0, maxDescription)}\n${shown}`;
}

function summary(all: readonly ToolFacts[], found: readonly ToolFacts[]): string {
  if (all.length === 0) return "There are no further tools now.";
  if (found.length === 0) return `None of ${counted(all.length, "further tool")} fits these words.`;
  const others = found.slice(maxFound).map(({ name }) => name);
  if (others.length === 0) return `${found.length} of ${counted(all.length, "further tool")} fit.`;
  const more = others.length > 30 ? `${others.slice(0, 30).join(", ")}, …` : others.join(", ");
  return `${found.length} of ${counted(all.length, "further tool")} fit; those that fit less, by name alone: ${more}.`;
}
