import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type McpRequestContext,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { Calls } from "./calls.ts";
import type { DoorNeeds } from "./needs.ts";
import { OfferedTools } from "./offered-tools.ts";
import { OpenCall, type Tell } from "./open-call.ts";
import { ParkedCalls } from "./parked-calls.ts";
import type { Peer } from "./peer.ts";
import { Asking, elicitsOf } from "./questions.ts";

type Era = McpRequestContext["era"];

/** Words of a client are held to schemas by whoever reads them; none is made into code. */
const unchecked = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
};

/** Makes the objects that answer: one for each request over HTTP, and one for a program on stdio. */
export class DoorServers {
  readonly #needs: DoorNeeds;
  readonly #tools: OfferedTools;
  readonly #calls: Calls;
  readonly #parked = new ParkedCalls();
  readonly #signal: AbortSignal;

  constructor(needs: DoorNeeds, signal: AbortSignal) {
    this.#needs = needs;
    this.#tools = new OfferedTools(needs);
    this.#calls = new Calls(needs, this.#tools);
    this.#signal = signal;
  }

  make(peer: Peer, era: Era): Server {
    const { version } = this.#needs.runtime;
    const server = new Server(
      { name: "gantry", title: "Gantry", version },
      {
        capabilities: { tools: {} },
        jsonSchemaValidator: unchecked,
        requestState: {
          verify: (state) => {
            if (!this.#parked.isKnown(state, peer)) throw new Error("there is no such call");
          },
        },
      },
    );
    server.setRequestHandler("tools/list", async () => ({ tools: await this.#tools.list() }));
    server.setRequestHandler("tools/call", ({ params }, context) => {
      const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
      const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY];
      const asking = new Asking(
        peer,
        elicitsOf(era === "modern" ? capabilities : server.getClientCapabilities()),
        this.#needs,
      );
      return this.#call(peer, era, asking, params, context);
    });
    return server;
  }

  async #call(
    peer: Peer,
    era: Era,
    asking: Asking,
    { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> },
    { mcpReq }: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const state = mcpReq.requestState<string>();
    const call =
      state === undefined
        ? this.#begin(peer, era, asking, name, args, mcpReq.signal)
        : await this.#resume(state, peer, name, mcpReq.inputResponses);
    const next = await call.next(mcpReq.signal, tellOf(mcpReq));
    if (next.type === "done") return next.result;
    const { question } = next;
    const requestState = this.#parked.park(call, peer, name, question);
    return inputRequired({ inputRequests: { [question.id]: question.request }, requestState });
  }

  #begin(
    peer: Peer,
    era: Era,
    asking: Asking,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): OpenCall {
    const work = this.#calls.workOf(peer, name, args);
    if (!work) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool: list them.");
    const call = new OpenCall(work, asking, name === "ask", this.#signal);
    // One request of the earlier revisions lasts until the call is done, questions included.
    if (era === "legacy") signal.addEventListener("abort", () => call.stop(), { once: true });
    return call;
  }

  async #resume(
    state: string,
    peer: Peer,
    name: string,
    responses: Readonly<Record<string, unknown>> = {},
  ): Promise<OpenCall> {
    const parked = this.#parked.take(state, peer, name);
    if (!parked)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "This request state is of no such call.");
    const { call, question } = parked;
    if (Object.hasOwn(responses, question)) await call.answer(question, responses[question]);
    return call;
  }
}

/** Returns what tells the client of progress, in numbers that only grow, if it asked to be told. */
function tellOf({ _meta, notify }: ServerContext["mcpReq"]): Tell | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = -1;
  return ({ done: progress, total, text: message }) => {
    if (progress <= last) return;
    last = progress;
    const params = { progressToken, progress, ...(total !== undefined && { total }) };
    const told = message === undefined ? params : { ...params, message };
    // A client that has left hears of nothing.
    notify({ method: "notifications/progress", params: told }).catch(() => undefined);
  };
}
