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

/** The most questions of one request of the earlier revisions. */
const mostQuestions = 1_000;

/** In characters. */
const longestToken = 256;

/** Words of a client are held to schemas by whoever reads them; none is made into code. */
const unchecked = {
  getValidator: () => (data: unknown) => ({
    valid: true as const,
    data: data as never,
    errorMessage: undefined,
  }),
};

/** The client that asks for a call, and the time for which it may run. */
interface Asked {
  readonly peer: Peer;
  readonly asking: Asking;
  readonly signal: AbortSignal;
}

/**
 * Makes the objects that answer: one for each request over HTTP, and one for a program on stdio.
 */
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
        inputRequired: { maxRounds: mostQuestions },
        requestState: {
          verify: (state) => {
            if (!this.#parked.isKnown(state, peer)) throw new Error("there is no such call");
          },
        },
      },
    );
    const lives = era === "legacy" ? this.#lifeOf(server) : this.#signal;
    server.setRequestHandler("tools/list", async () => ({ tools: await this.#tools.list() }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
      const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
      const said = era === "legacy" ? server.getClientCapabilities() : envelope[CLIENT_CAPABILITIES_META_KEY];
      const asking = new Asking(peer, elicitsOf(said), this.#needs);
      // One request of the earlier revisions lasts until the call is done, questions included.
      const signal = era === "legacy" ? AbortSignal.any([lives, mcpReq.signal]) : lives;
      return this.#call({ peer, asking, signal }, params, mcpReq);
    });
    return server;
  }

  /** Returns a signal that is aborted once the server is closed, with what is asked of it. */
  #lifeOf(server: Server): AbortSignal {
    const closing = new AbortController();
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the server has no other way
    server.onclose = () => closing.abort();
    return AbortSignal.any([this.#signal, closing.signal]);
  }

  async #call(
    asked: Asked,
    { name, arguments: args = {} }: { readonly name: string; readonly arguments?: Record<string, unknown> },
    mcpReq: ServerContext["mcpReq"],
  ): Promise<CallToolResult | InputRequiredResult> {
    const { peer } = asked;
    const state = mcpReq.requestState<string>();
    const call =
      state === undefined
        ? this.#begin(asked, name, args)
        : await this.#resume(state, peer, name, mcpReq.inputResponses);
    const next = await call.next(mcpReq.signal, tellOf(mcpReq));
    if (next.type === "done") return next.result;
    const { question } = next;
    const requestState = this.#parked.park(call, peer, name, question);
    return inputRequired({ inputRequests: { [question.id]: question.request }, requestState });
  }

  #begin({ peer, asking, signal }: Asked, name: string, args: Record<string, unknown>): OpenCall {
    const work = this.#calls.workOf(peer, name, args);
    if (!work) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool: list them.");
    return new OpenCall(work, asking, name === "ask", signal);
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
  // It comes back with each step, so a long one would cost more than it tells.
  if (progressToken === undefined || String(progressToken).length > longestToken) return undefined;
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
