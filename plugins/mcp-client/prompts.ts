import type { Audit, ChatCommand, ChatCommandRun, CommandPrompt, Part } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import type { Accepted, Changed } from "./accepted.ts";
import { cleaned } from "./clean-text.ts";
import type { ListedArgument, ListedPrompt } from "./listed.ts";
import { partsOf } from "./results.ts";
import type { McpServer } from "./server.ts";
import type { ServerSecrets } from "./server-secrets.ts";

const MAX_SUMMARY = 200;
/** The most bytes of all texts of one prompt together, and the most pieces of them. */
const MAX_BYTES = 64 * 1024;
const MAX_PARTS = 100;
const NAME = /^[a-z][a-z0-9-]{0,31}$/;

export interface PromptNeeds {
  readonly audit: Audit;
  readonly secrets: ServerSecrets;
}

/**
 * Returns the accepted prompts of a server as chat commands: `/github-review`; each use is recorded
 * first.
 */
export function promptWords(
  server: McpServer,
  accepted: Accepted,
  changed: Changed | undefined,
  needs: PromptNeeds,
): readonly ChatCommand[] {
  if (changed?.server === true) return [];
  const words = accepted.prompts
    .filter(({ name }) => changed?.prompts.includes(name) !== true)
    .map((prompt) => wordOf(server, prompt, needs))
    .filter(({ name }) => NAME.test(name));
  const counts = Map.groupBy(words, ({ name }) => name);
  return words.filter(({ name }) => counts.get(name)?.length === 1);
}

function wordOf(server: McpServer, prompt: ListedPrompt, { audit, secrets }: PromptNeeds): ChatCommand {
  const { name, title, description, arguments: args = [] } = prompt;
  const about = cleaned(description ?? title ?? name, MAX_SUMMARY).replace(/\s+/g, " ");
  const shown = args.map(({ name: one, required }) => (required ? `<${one}>` : `[${one}]`)).join(" ");
  const word = `${server.name}-${name}`.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return {
    name: word,
    summary: `${about || name} (MCP server ${server.name})`,
    ...(shown !== "" && { args: printable(shown, MAX_SUMMARY) }),
    trust: "member",
    async run(run) {
      const given = argumentsIn(run.args, args);
      const missing = args.filter(({ name: one, required }) => required === true && !(one in given));
      if (missing.length > 0)
        return `It needs ${missing.map(({ name: one }) => printable(one, 64)).join(", ")}: write them as name=value.`;
      await recordUse(audit, run, word, { mcp_server: server.name, prompt: name, arguments: given });
      return promptOf(server, name, given, run.user, secrets);
    },
  };
}

/**
 * Records the use of a prompt as a call of a tool is recorded, since the model reads what it
 * brings.
 */
async function recordUse(
  audit: Audit,
  { user, conversation }: ChatCommandRun,
  word: string,
  args: Readonly<Record<string, unknown>>,
): Promise<void> {
  const event = { event_type: "tool_call", tool: `/${word}`, args, result: "allowed" } as const;
  await audit.record({ ...event, user, session_id: conversation.session });
}

async function promptOf(
  server: McpServer,
  name: string,
  given: Readonly<Record<string, string>>,
  user: string,
  secrets: ServerSecrets,
): Promise<CommandPrompt> {
  const { messages } = await server.getPrompt(name, given);
  const blocks = messages.slice(0, MAX_PARTS).map(({ content }) => content);
  const parts = await partsOf(blocks, server.keeping(user));
  const from = `MCP server ${server.name}`;
  const asked: Part = {
    type: "text",
    text: `Do what the prompt ${printable(name, 64)} of the ${from} says:`,
  };
  return { prompt: [asked, ...cleanedParts(parts, secrets).map((part) => ({ ...part, from }))] };
}

/**
 * Returns the parts without hidden characters, templates of models and the owner's secrets, and
 * what is too long of them cut.
 */
function cleanedParts(parts: readonly Part[], secrets: ServerSecrets): readonly Part[] {
  let left = MAX_BYTES;
  return parts.flatMap((part): readonly Part[] => {
    if (part.type !== "text") return [part];
    // A sign of what is cut takes three bytes.
    const text = left > 3 ? secrets.redact(cleaned(part.text, left)) : "";
    left -= Buffer.byteLength(text);
    return text === "" ? [] : [{ ...part, text }];
  });
}

/**
 * Reads `name=value`, with quotes around what has blanks in it; what has no name is the first
 * argument not named.
 */
function argumentsIn(text: string, args: readonly ListedArgument[]): Record<string, string> {
  const given: Record<string, string> = {};
  const rest = text.replace(
    /([\w-]+)=(?:"([^"]*)"|(\S+))/g,
    (whole, name: string, quoted?: string, bare?: string) => {
      if (!args.some((one) => one.name === name)) return whole;
      given[name] = quoted ?? bare ?? "";
      return "";
    },
  );
  const first = args.find(({ name }) => !(name in given));
  if (first && rest.trim() !== "") given[first.name] = rest.trim();
  return given;
}
