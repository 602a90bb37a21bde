import type { RouteReply, RouteRequest } from "@gantry/sdk";
import { BadRequest, RefusedRequest } from "./bad-request.ts";
import { answerChat } from "./chat-turn.ts";
import type { ApiDeps } from "./deps.ts";
import { errors } from "./errors.ts";
import { badRequest } from "./failure.ts";
import { KeptResponses, type FoundResponse } from "./kept-responses.ts";
import type { Sent } from "./parameters.ts";
import { ResponseTurns } from "./response-turn.ts";
import { deviceOf } from "./turn-input.ts";

/** The handlers of the routes of turns. */
export interface Answers {
  chat(request: RouteRequest): Promise<RouteReply>;
  create(request: RouteRequest): Promise<RouteReply>;
  get(request: RouteRequest): Promise<RouteReply>;
  items(request: RouteRequest): Promise<RouteReply>;
  remove(request: RouteRequest): Promise<RouteReply>;
}

export function answersWith(deps: ApiDeps): Answers {
  let made: KeptResponses | undefined;
  const kept = (): KeptResponses | undefined => {
    const store = deps.store();
    if (store) made ??= new KeptResponses(store, deps.responses);
    return made;
  };
  const turns = new ResponseTurns(deps, kept);
  return {
    chat: (request) => answerChat(deps, request),
    create: (request) => turns.answer(request),
    get: (request) =>
      answered(async () => {
        const { response } = await found(kept(), request);
        return response.resource;
      }),
    items: (request) =>
      answered(async () => {
        const { response } = await found(kept(), request);
        return pageOf(response.input, request);
      }),
    remove: (request) =>
      answered(async () => {
        const { id = "" } = request.params;
        const device = deviceOf(request);
        const isGone = turns.stop(id, device) || (await kept()?.remove(id, device)) === true;
        if (!isGone) throw unknown(id);
        return { id, object: "response.deleted", deleted: true };
      }),
  };
}

async function answered(work: () => Promise<Sent>): Promise<RouteReply> {
  try {
    return { status: 200, body: await work() };
  } catch (error) {
    return badRequest(error, "id");
  }
}

async function found(
  kept: KeptResponses | undefined,
  { params, query, device }: RouteRequest,
): Promise<FoundResponse> {
  const { id = "" } = params;
  const { stream = "false" } = query;
  if (stream !== "false") throw new BadRequest("stream", "asks for what this server does not do");
  const response = await kept?.find(id, device ?? "local");
  if (!response) throw unknown(id);
  return response;
}

function unknown(id: string): RefusedRequest {
  return new RefusedRequest(404, "response_id", errors.OPENAI_NO_RESPONSE(id));
}

/** Returns the items that a query asks for, the newest first unless it says otherwise. */
function pageOf(items: readonly Sent[], { query }: RouteRequest): Sent {
  const { order = "desc", limit = "20", after } = query;
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > 100)
    throw new BadRequest("limit", "is not a number from 1 to 100");
  if (order !== "asc" && order !== "desc") throw new BadRequest("order", "is neither asc nor desc");
  const ordered = order === "asc" ? items : items.toReversed();
  const begin = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(begin, begin + most);
  const { id: first_id = null } = data[0] ?? {};
  const { id: last_id = null } = data.at(-1) ?? {};
  const has_more = ordered.length > begin + most;
  return { object: "list", data, first_id, last_id, has_more };
}
