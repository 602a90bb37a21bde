import type { Client, Tool as Listing } from "@modelcontextprotocol/client";
import { errors } from "./errors.ts";

/** More of a kind than a model could choose from, or a person accept. */
export const MAX_ITEMS = 256;
const MAX_PAGES = 64;
/** Characters of a whole list as JSON. */
const MAX_LIST = 4 * 1024 * 1024;

/** A tool as its server lists it: all of it that is accepted. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly execution?: unknown;
}

export interface ListedArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** A prompt as its server lists it. */
export interface ListedPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly ListedArgument[];
}

/** The items that a server says it has. */
export interface Listed {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  /** True if it has resources, which one tool of ours reads. */
  readonly resources: boolean;
}

interface Page {
  readonly nextCursor?: string | undefined;
}

/** Reads all that a server lists. Throws MCP_LIST beyond the bounds, and what the client throws. */
export async function readListed(client: Client, signal: AbortSignal): Promise<Listed> {
  const has = client.getServerCapabilities() ?? {};
  // Not by `listTools()`, which writes names that the server chose to the terminal.
  const tools = has.tools
    ? await allPages(
        "tools",
        (cursor) => client.request({ method: "tools/list", params: cursor }, { signal }),
        (page) => page.tools.map(toolOf),
      )
    : [];
  const prompts = has.prompts
    ? await allPages(
        "prompts",
        (cursor) => client.request({ method: "prompts/list", params: cursor }, { signal }),
        (page) =>
          page.prompts.map(({ name, title, description, arguments: args }) =>
            present({ name, title, description, arguments: args?.map(argumentOf) }),
          ),
      )
    : [];
  return { tools, prompts: prompts as readonly ListedPrompt[], resources: has.resources !== undefined };
}

/** Reads page by page, at most so many, and stops at the first cursor that came before. */
async function allPages<P extends Page, Item>(
  kind: string,
  read: (params: { cursor?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
): Promise<readonly Item[]> {
  const all: Item[] = [];
  const seen = new Set<string>();
  let length = 0;
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor === undefined ? {} : { cursor });
    length += JSON.stringify(page).length;
    all.push(...itemsOf(page));
    if (length > MAX_LIST) throw errors.MCP_LIST(`${MAX_LIST} characters of`, kind);
    if (all.length > MAX_ITEMS || seen.size >= MAX_PAGES) throw errors.MCP_LIST(MAX_ITEMS, kind);
    cursor = page.nextCursor;
    if (cursor === undefined || seen.has(cursor)) return all;
    seen.add(cursor);
  }
}

function toolOf(tool: Listing): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const { execution } = tool as { readonly execution?: unknown };
  return present({ name, title, description, inputSchema, outputSchema, annotations, execution });
}

function argumentOf({
  name,
  description,
  required,
}: {
  name: string;
  description?: string | undefined;
  required?: boolean | undefined;
}): ListedArgument {
  return present({ name, description, required });
}

/** Returns the object without the keys that hold nothing. */
function present<T extends object>(value: T): { [K in keyof T]-?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}
