import { BadRequest, RefusedRequest } from "./bad-request.ts";
import { errors } from "./errors.ts";
import type { SentMessage } from "./history.ts";
import { isObject, type Sent } from "./parameters.ts";

/** Returns the item of an earlier response; undefined if there is none for this token. */
export type FindItem = (id: string) => Promise<Sent | undefined>;

const roles: readonly unknown[] = ["system", "developer", "user", "assistant"];

/** Returns the items with what is referenced in place of each reference. */
export async function withReferenced(items: readonly Sent[], find: FindItem): Promise<readonly Sent[]> {
  const found: Sent[] = [];
  const known = new Map<string, Sent | undefined>();
  for (const [at, item] of items.entries()) {
    const id = String(item["id"]);
    const isReference = item["type"] === "item_reference";
    if (isReference && !known.has(id)) known.set(id, await find(id));
    const referenced = isReference ? known.get(id) : item;
    if (!referenced) throw new RefusedRequest(404, `input[${at}].id`, errors.OPENAI_NO_ITEM(id));
    found.push(referenced);
  }
  return found;
}

/** Returns the messages that items stand for; throws {@link BadRequest}. */
export function messagesOf(items: readonly Sent[]): readonly SentMessage[] {
  const messages: SentMessage[] = [];
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`;
    const { type = "message", role, content } = item;
    if (type === "message") {
      if (!roles.includes(role)) throw new BadRequest(`${where}.role`, `is none of ${roles.join(", ")}`);
      const calls = role === "assistant" && { tool_calls: [] };
      messages.push({ role: String(role), content, where, ...calls });
    } else if (type === "function_call") addCall(messages, item, where);
    else if (type === "function_call_output") messages.push(outputOf(item, where));
    // The model has its own thoughts in what is kept; those of a client are nobody's words.
    else if (type !== "reasoning")
      throw new BadRequest(`${where}.type`, "is not a type of item that this server takes");
  }
  return messages;
}

/** Adds a call to the answer that it stands beside, so that each answer has all of its calls. */
function addCall(messages: SentMessage[], item: Sent, where: string): void {
  const { call_id: id, name, arguments: args } = item;
  if (typeof id !== "string" || typeof name !== "string" || typeof args !== "string")
    throw new BadRequest(where, "lacks one of `call_id`, `name` and `arguments`");
  const call = { id, function: { name, arguments: args } };
  const last = messages.at(-1);
  const calls = last?.role === "assistant" ? last.tool_calls : undefined;
  if (Array.isArray(calls)) calls.push(call);
  else messages.push({ role: "assistant", tool_calls: [call], where });
}

function outputOf({ call_id: id, output }: Sent, where: string): SentMessage {
  if (typeof id !== "string") throw new BadRequest(`${where}.call_id`, "is missing");
  if (typeof output !== "string" && !Array.isArray(output))
    throw new BadRequest(`${where}.output`, "is neither text nor a list of parts");
  return { role: "tool", tool_call_id: id, content: output, where };
}

/** Returns the ids and names of the calls in an output. */
export function callsIn(output: readonly unknown[]): ReadonlyMap<string, string> {
  const calls = output.filter(isObject).filter(({ type }) => type === "function_call");
  return new Map(calls.map((call) => [String(call["call_id"]), String(call["name"])]));
}
