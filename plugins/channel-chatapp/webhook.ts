import { Buffer, isUtf8 } from "node:buffer";
import type { GantryError, Logger, Route, RouteReply, RouteRequest } from "@gantry/sdk";
import type { ChatFrame } from "@gantry/sdk/channel";
import type { ChatAddress } from "./address.ts";
import { errors } from "./errors.ts";
import { textMessages, type ChatappMessage } from "./payload.ts";
import type { Settings } from "./settings.ts";
import { isSigned, same } from "./signature.ts";

type Frame = ChatFrame<ChatAddress, ChatappMessage>;

const retryAfterSeconds = 5;

export const unsigned =
  "The chat-app webhook has no app secret, so signatures are not checked, anyone who finds it can write in another's name, and nobody is an owner: set channels_config.chatapp.app_secret or SERVICE_CHATAPP_APP_SECRET.";

/** The platform proves itself: by the verify token once, then by signing the bytes it delivers. */
export function webhookRoutes(settings: Settings, frame: Frame, log: Logger): readonly Route[] {
  return [
    {
      name: "GET /chatapp",
      method: "GET",
      path: "/chatapp",
      auth: "own",
      summary: "Verification of the chat-app webhook: answers hub.challenge.",
      handle: async ({ query, peer }) => verify(query, peer, settings, log),
    },
    {
      name: "POST /chatapp",
      method: "POST",
      path: "/chatapp",
      auth: "own",
      summary: "Deliveries of the chat-app platform; answered once every accepted message is on disk.",
      bodyLimit: 1024 * 1024,
      // The platform delivers from few addresses; the inbox bounds it, and says when it is full.
      perMinute: Number.POSITIVE_INFINITY,
      ...(settings.appSecret === undefined && { warning: unsigned }),
      handle: async (request) => receive(request, settings, frame, log),
    },
  ];
}

/** Without any hub parameter it is a person who looks whether the address answers. */
function verify(
  query: Readonly<Record<string, unknown>>,
  peer: string,
  settings: Settings,
  log: Logger,
): RouteReply {
  if (!Object.keys(query).some((name) => name.startsWith("hub.")))
    return { status: 200, text: "The chat-app webhook is here." };
  const token = query["hub.verify_token"];
  if (query["hub.mode"] !== "subscribe" || typeof token !== "string" || !same(token, settings.verifyToken)) {
    const error = errors.CHATAPP_VERIFY_TOKEN();
    log.warn({ code: error.code, peer }, error.message);
    return problem(403, error);
  }
  const challenge = query["hub.challenge"];
  if (typeof challenge !== "string" || challenge === "") return problem(400, errors.CHATAPP_NO_CHALLENGE());
  return { status: 200, text: challenge };
}

async function receive(
  request: RouteRequest,
  { appSecret }: Settings,
  frame: Frame,
  log: Logger,
): Promise<RouteReply> {
  const { rawBody, headers } = request;
  if (appSecret !== undefined && !isSigned(rawBody, headers["x-hub-signature-256"], appSecret))
    return problem(401, errors.CHATAPP_SIGNATURE());
  const payload = parse(rawBody);
  if (!payload) return problem(400, errors.CHATAPP_BAD_PAYLOAD());
  try {
    const messages = textMessages(payload, Math.floor(Date.now() / 1_000));
    if (await frame.deliver(messages, request)) return { status: 200, body: { status: "ok" } };
    return later(errors.CHATAPP_FULL(retryAfterSeconds));
  } catch (error) {
    log.error(
      { err: error },
      `A delivery was not kept, so the platform is to repeat it: ${(error as Error).message}`,
    );
    return later(errors.CHATAPP_NOT_KEPT(retryAfterSeconds));
  }
}

/** The platform delivers again what is answered so. */
function later(error: GantryError): RouteReply {
  return { ...problem(503, error), headers: { "retry-after": String(retryAfterSeconds) } };
}

function parse(rawBody: Uint8Array): object | undefined {
  if (!isUtf8(rawBody)) return undefined;
  try {
    const payload: unknown = JSON.parse(
      Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength).toString(),
    );
    return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

function problem(status: number, { code, message }: GantryError) {
  return { status, body: { error: { code, message } } };
}
