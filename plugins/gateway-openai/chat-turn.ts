import { createHash } from "node:crypto";
import type { RouteReply, RouteRequest } from "@gantry/sdk";
import { laneOf } from "@gantry/sdk/fill";
import { Completion } from "./completion.ts";
import { Attachments } from "./content.ts";
import type { ApiDeps } from "./deps.ts";
import { badRequest } from "./failure.ts";
import { readConversation, type SentMessage } from "./history.ts";
import { checkModel, isPlain } from "./models.ts";
import { parsedBody } from "./parameters.ts";
import { readRequest, type ChatRequest } from "./request.ts";
import { answerStreamed, answerWhole, type PreparedTurn } from "./run-turn.ts";
import { historyFor, sessionKey } from "./sessions.ts";
import { deviceOf, messageOf, optionsOf } from "./turn-input.ts";

/** Answers one request for a chat completion. */
export async function answerChat(deps: ApiDeps, request: RouteRequest): Promise<RouteReply> {
  try {
    const asked = readRequest(parsedBody(request.rawBody));
    checkModel(asked.model, deps.agents());
    const turn = await prepared(deps, asked, request);
    return await (asked.stream ? answerStreamed : answerWhole)(deps.inbox, turn);
  } catch (error) {
    return badRequest(error, "messages");
  }
}

async function prepared(deps: ApiDeps, asked: ChatRequest, request: RouteRequest): Promise<PreparedTurn> {
  const device = deviceOf(request);
  const { left: signal = request.signal } = request;
  const options = optionsOf(asked, request);
  const sent = await readConversation(asked.messages, new Attachments(deps, device));

  const key = sessionKey(request.headers, deps.sessionHeaders, asked.user);
  // A call of a client's tool is continued by the client's own history.
  const isOwnHistory = asked.tools.length > 0 || sent.parts.length === 0;
  const isStateless = key === undefined || isPlain(asked.model) || isOwnHistory;
  const name = isStateless ? unkeyed(asked.messages) : key.value;
  const conversation = { id: `${device}:${name}`, kind: "direct" as const };
  const session = laneOf({ channel: "openai", conversation });
  const message = { ...messageOf(request, sent.parts), conversation, session };

  const { sessions } = deps.store() ?? {};
  const kept = isStateless ? sent.history : await historyFor(sessions, session, key, sent);
  return {
    message,
    options: { ...options, keep: !isStateless, system: sent.system, ...(kept && { history: kept }) },
    signal,
    oneCall: asked.oneCall,
    encoder: new Completion(asked.model, asked.includeUsage),
  };
}

/** Returns a name for chats that begin alike: a request without a key brings all of its chat. */
function unkeyed(messages: readonly SentMessage[]): string {
  const first = messages.findIndex(({ role }) => role === "user");
  const beginning = messages.slice(0, first + 1).map((sent) => ({ ...sent, where: undefined }));
  return `chat-${createHash("sha256").update(JSON.stringify(beginning)).digest("hex").slice(0, 16)}`;
}
