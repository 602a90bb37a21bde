import { createHash, randomUUID } from "node:crypto";
import {
  directMessage,
  promptEvents,
  type Agents,
  type PromptEvent,
  type Inbox,
  type InboundMessage,
  type Media,
  type PromptOptions,
  type Route,
  type RouteReply,
  type RouteRequest,
  type ServerEvent,
} from "@gantry/sdk";
import { laneOf, type Sessions } from "@gantry/sdk/fill";
import { BadRequest } from "./bad-request.ts";
import { Completion } from "./completion.ts";
import { errors } from "./errors.ts";
import { badRequest, errorBody, failureBody, refusal, turnStatus } from "./failure.ts";
import { readConversation } from "./history.ts";
import { agentIn, modelsOf } from "./model-routes.ts";
import { readRequest, type ChatRequest, type SentMessage } from "./request.ts";
import { historyFor, sessionKey } from "./sessions.ts";

const bodyLimit = 20 * 1024 * 1024;
/** A chat program of a whole team is one peer. */
const perMinute = 600;

export interface ChatDeps {
  readonly agents: () => Agents | undefined;
  readonly inbox: Inbox;
  readonly media: () => Media | undefined;
  readonly sessions: () => Sessions | undefined;
  /** In small letters. */
  readonly sessionHeaders: readonly string[];
}

interface Prompt {
  readonly message: InboundMessage;
  readonly options: Omit<PromptOptions, "signal" | "onEvent">;
}

export function chatRoute(deps: ChatDeps): Route {
  return {
    name: "POST /v1/chat/completions",
    method: "POST",
    path: "/v1/chat/completions",
    auth: "token",
    may: "talk",
    failureBody,
    bodyLimit,
    perMinute,
    summary: "One turn in the form of OpenAI's chat completions, whole or streamed.",
    async handle(request) {
      try {
        const asked = readRequest(parse(request.rawBody));
        const models = modelsOf(deps.agents());
        if (!models.includes(asked.model))
          return refusal(404, errors.OPENAI_NO_MODEL(asked.model, models.join(", ")), "model");
        const prompt = await promptOf(deps, asked, request);
        const completion = new Completion(asked.model);
        const { left = request.signal } = request;
        if (asked.stream) return await streamed(deps.inbox, prompt, asked, completion, left);
        return await whole(deps.inbox, prompt, completion, left);
      } catch (error) {
        return badRequest(error);
      }
    },
  };
}

async function promptOf(deps: ChatDeps, asked: ChatRequest, request: RouteRequest): Promise<Prompt> {
  const device = request.device ?? "local";
  const user = `openai:${device}`;
  const sent = await readConversation(asked.messages, async (bytes, mime) => {
    const media = deps.media();
    if (!media) throw errors.OPENAI_NO_MEDIA();
    return media.put(bytes, { mime, user });
  });

  const key = sessionKey(request.headers, deps.sessionHeaders, asked.user);
  const agent = agentIn(asked.model);
  const isPlain = asked.model === "gantry-plain";
  // A call of a client's tool is continued by the client's own history.
  const isStateless = key === undefined || isPlain || asked.tools.length > 0 || sent.parts.length === 0;
  const name = isStateless ? unkeyed(asked.messages) : key.value;
  const conversation = { id: `${device}:${name}`, kind: "direct" as const };
  const message = {
    ...directMessage({
      channel: "openai",
      id: randomUUID(),
      from: device,
      text: "",
      trust: "owner",
      ...(request.caller && { caller: request.caller }),
      conversation,
    }),
    parts: sent.parts,
    ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
    session: laneOf({ channel: "openai", conversation }),
  };

  const kept = isStateless ? sent.history : await historyFor(deps.sessions(), message.session, key, sent);
  const options = {
    approvals: "none" as const,
    keep: !isStateless,
    clientTools: asked.mayCall ? asked.tools : [],
    system: sent.system,
    ...(kept && { history: kept }),
    ...((isPlain || !asked.mayCall) && { tools: [] }),
    ...(agent !== undefined && { agent }),
    ...(asked.maxTokens !== undefined && { maxTokens: asked.maxTokens }),
    ...(asked.temperature !== undefined && { temperature: asked.temperature }),
    ...(asked.effort !== undefined && { effort: asked.effort }),
  };
  return { message, options };
}

/** One client's chats are told apart by how they begin, since each request brings all of its own. */
function unkeyed(messages: readonly SentMessage[]): string {
  const first = messages.findIndex(({ role }) => role === "user");
  const beginning = JSON.stringify(messages.slice(0, first + 1));
  return `chat-${createHash("sha256").update(beginning).digest("hex").slice(0, 16)}`;
}

async function whole(
  inbox: Inbox,
  { message, options }: Prompt,
  completion: Completion,
  signal: AbortSignal,
): Promise<RouteReply> {
  const result = await inbox.prompt(message, { ...options, signal });
  if (!result.error) return { status: 200, body: completion.whole(result) };
  const { status, headers = {} } = turnStatus(result.error);
  return { status, body: errorBody(result.error, status), headers };
}

async function streamed(
  inbox: Inbox,
  { message, options }: Prompt,
  asked: ChatRequest,
  completion: Completion,
  signal: AbortSignal,
): Promise<RouteReply> {
  const steps = promptEvents(inbox, message, { ...options, signal });
  // What is wrong with the request is told by its status, so the stream begins with the first step.
  const first = await steps.next();
  return { status: 200, events: frames(first, steps, asked, completion) };
}

async function* frames(
  first: IteratorResult<PromptEvent, void>,
  steps: AsyncGenerator<PromptEvent, void>,
  { includeUsage }: ChatRequest,
  completion: Completion,
): AsyncGenerator<ServerEvent> {
  yield { data: completion.first() };
  let isShown = false;
  try {
    for (let step = first; !step.done; step = await steps.next()) {
      const event = step.value;
      if (event.type === "delta") {
        isShown = true;
        yield { data: completion.text(event.text) };
      }
      if (event.type !== "ended") continue;
      const { result } = event;
      if (result.error) return yield { data: errorBody(result.error, turnStatus(result.error).status) };
      if (!isShown && result.reply !== "") yield { data: completion.text(result.reply) };
      for (const data of completion.last(result, includeUsage)) yield { data };
      yield { raw: "data: [DONE]\n\n" };
    }
  } catch (error) {
    const { code = "INTERNAL", message } = error as Error & { code?: string };
    yield { data: errorBody({ code, message }, 500) };
  } finally {
    await steps.return();
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new BadRequest("body", "is no JSON");
  }
}
