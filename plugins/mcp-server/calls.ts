import { randomUUID } from "node:crypto";
import type { TurnResult } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { Value } from "typebox/value";
import { contentOf, textResult } from "./content.ts";
import { errors } from "./errors.ts";
import type { DoorNeeds } from "./needs.ts";
import { AskArgs, type OfferedTools } from "./offered-tools.ts";
import type { Work } from "./open-call.ts";
import { messageOf, type Peer } from "./peer.ts";

type Args = Readonly<Record<string, unknown>>;

/** The calls of clients: turns, and tools by the way of every call. */
export class Calls {
  readonly #needs: DoorNeeds;
  readonly #tools: OfferedTools;

  constructor(needs: DoorNeeds, tools: OfferedTools) {
    this.#needs = needs;
    this.#tools = tools;
  }

  /** Returns the work of a call, which never rejects; undefined for a tool that is not offered. */
  workOf(peer: Peer, name: string, args: Args): Work | undefined {
    const tool = this.#tools.runs(name);
    if (name !== "ask" && tool === undefined) return undefined;
    return async (signal, onEvent) => {
      const told = { signal, onEvent, approvals: "ask" } as const;
      try {
        return tool === undefined || name === "ask"
          ? await this.#turn(peer, args, told)
          : await this.#tool(peer, tool, args, told);
      } catch (error) {
        return failure(error);
      }
    };
  }

  async #turn(peer: Peer, args: Args, told: Told): Promise<CallToolResult> {
    const wrong = wrongArgs(args);
    if (wrong !== undefined) return textResult(wrong, true);
    const { message, conversation = randomUUID() } = args as {
      readonly message: string;
      readonly conversation?: string;
    };
    const result = await this.#needs.inbox.prompt(messageOf(peer, message, conversation), told);
    const structuredContent = { conversation, ...factsOf(result) };
    if (result.error) return { ...failure(result.error), structuredContent };
    const files = (result.files ?? []).map((media) => ({ type: "media", media }) as const);
    const content = await contentOf([{ type: "text", text: result.reply }, ...files], this.#needs.media);
    return { content, structuredContent };
  }

  async #tool(peer: Peer, tool: string, args: Args, told: Told): Promise<CallToolResult> {
    const { inbox, media } = this.#needs;
    const message = messageOf(peer, "", "calls");
    const outcome = await inbox.call?.(message, { ...told, tool, args });
    if (!outcome) throw errors.MCP_SERVE_NO_CALLS();
    const { decision, code, text, parts, workFailed } = outcome;
    if (decision === "refused" || decision === "failed")
      return textResult(code === undefined ? text : `${code}: ${text}`, true);
    return { content: await contentOf(parts, media), ...(workFailed && { isError: true }) };
  }
}

type Told =
  Parameters<Work> extends [infer Signal, infer OnEvent]
    ? { readonly signal: Signal; readonly onEvent: OnEvent; readonly approvals: "ask" }
    : never;

/** Returns what a client may want to know of a turn beside its answer. */
function factsOf({ stop_reason, tool_calls }: TurnResult): Record<string, unknown> {
  return { stop_reason, tool_calls };
}

function failure(error: unknown): CallToolResult {
  const { code, message } = asError(error) as Error & { readonly code?: string };
  return textResult(code === undefined ? message : `${code}: ${message}`, true);
}

function wrongArgs(args: Args): string | undefined {
  if (Value.Check(AskArgs, args)) return undefined;
  const [{ instancePath, message } = { instancePath: "", message: "is wrong" }] = Value.Errors(AskArgs, args);
  return `The arguments of ask are wrong: ${instancePath || "they"} ${message}.`;
}
