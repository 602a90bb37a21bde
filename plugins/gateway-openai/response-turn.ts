import { textOf, type Part, type RouteReply, type RouteRequest } from "@gantry/sdk";
import { BadRequest, RefusedRequest } from "./bad-request.ts";
import { Attachments } from "./content.ts";
import type { ApiDeps } from "./deps.ts";
import { errors } from "./errors.ts";
import { badRequest } from "./failure.ts";
import { readConversation, type SentConversation } from "./history.ts";
import { keptItems } from "./kept-input.ts";
import { fits, KeptResponses, type FoundResponse } from "./kept-responses.ts";
import { agentIn, checkModel } from "./models.ts";
import { isObject, parsedBody, type Sent } from "./parameters.ts";
import { ResponseEncoder } from "./response-encoder.ts";
import { callsIn, messagesOf, withReferenced } from "./response-items.ts";
import {
  ownPlace,
  placeBehind,
  saidUpTo,
  settleTurn,
  undoTurn,
  withAnswers,
  type Place,
} from "./response-place.ts";
import { readResponseRequest, type ResponseRequest } from "./response-request.ts";
import { newConversation, newResponseId, responseOfItem, type ResponseHead } from "./response-resource.ts";
import { answerStreamed, answerWhole, type PreparedTurn } from "./run-turn.ts";
import { deviceOf, messageOf, optionsOf } from "./turn-input.ts";

/** A request for a response, read. */
interface Wanted {
  readonly asked: ResponseRequest;
  readonly device: string;
  readonly previous: FoundResponse | undefined;
  readonly items: readonly Sent[];
  readonly sent: SentConversation;
  /** The text of system and developer items up to here. */
  readonly system: string;
}

/** Answers requests for responses, and stops those that run. */
export class ResponseTurns {
  readonly #deps: ApiDeps;
  readonly #kept: () => KeptResponses | undefined;
  readonly #running = new Map<string, { readonly device: string; readonly stop: AbortController }>();

  constructor(deps: ApiDeps, kept: () => KeptResponses | undefined) {
    this.#deps = deps;
    this.#kept = kept;
  }

  async answer(request: RouteRequest): Promise<RouteReply> {
    try {
      const wanted = await this.#read(request);
      const turn = await this.#prepared(wanted, request);
      return await (wanted.asked.stream ? answerStreamed : answerWhole)(this.#deps.inbox, turn);
    } catch (error) {
      return badRequest(error, "input");
    }
  }

  /** Stops a turn, of which nothing is kept then; false if this token has none of that id. */
  stop(id: string, device: string): boolean {
    const turn = this.#running.get(id);
    if (turn?.device !== device) return false;
    turn.stop.abort();
    return true;
  }

  async #read(request: RouteRequest): Promise<Wanted> {
    const read = readResponseRequest(parsedBody(request.rawBody));
    checkModel(read.model, this.#deps.agents());
    const kept = this.#kept();
    if (!kept && read.sent["store"] === true)
      throw new RefusedRequest(400, "store", errors.OPENAI_NO_STORE());
    const asked = { ...read, store: read.store && kept !== undefined };
    const device = deviceOf(request);
    const previous = await this.#previous(asked, device);
    const items = await withReferenced(asked.items, (id) => this.#item(id, device));
    const attachments = new Attachments(this.#deps, device);
    const sent = await readConversation(messagesOf(items), attachments, openIn(previous));
    if (sent.parts.length === 0 && sent.history.length === 0)
      throw new BadRequest("input", "holds nothing to answer");
    const said = [previous?.response.system ?? "", sent.system].filter((text) => text !== "");
    return { asked, device, previous, items, sent, system: said.join("\n\n") };
  }

  async #previous({ previous: id, model }: ResponseRequest, device: string) {
    if (id === undefined) return undefined;
    const found = await this.#kept()?.find(id, device);
    const param = "previous_response_id";
    if (!found) throw new RefusedRequest(404, param, errors.OPENAI_NO_RESPONSE(id));
    const earlier = String(found.response.resource["model"]);
    // Words told to one agent are not told to another.
    if (agentIn(earlier) !== agentIn(model))
      throw new RefusedRequest(400, "model", errors.OPENAI_OTHER_AGENT(id, earlier));
    return found;
  }

  async #item(id: string, device: string): Promise<Sent | undefined> {
    const response = responseOfItem(id);
    if (response === undefined) return undefined;
    const found = await this.#kept()?.find(response, device);
    const output = found?.response.resource["output"];
    return Array.isArray(output) ? output.filter(isObject).find((item) => item["id"] === id) : undefined;
  }

  async #prepared(wanted: Wanted, request: RouteRequest): Promise<PreparedTurn> {
    const { asked, device, sent, system } = wanted;
    const options = optionsOf(asked, request);
    const place = asked.store ? await this.#place(wanted) : undefined;
    const history = place ? place.history : await this.#unkept(wanted);
    const conversation = place?.session.replace(/^responses-/, "") ?? newConversation();
    const created = Math.floor(Date.now() / 1_000);
    const head: ResponseHead = { id: newResponseId(conversation), created, asked };
    const stop = new AbortController();
    this.#running.set(head.id, { device, stop });
    const { left = request.signal } = request;
    const texts = [asked.instructions ?? "", system].filter((text) => text !== "");
    return {
      message: { ...messageOf(request, noCommand(sent.parts)), ...(place && { session: place.session }) },
      options: {
        ...options,
        keep: place !== undefined,
        system: texts.join("\n\n"),
        ...(asked.summary !== undefined && { thoughts: true }),
        ...(history && { history }),
      },
      signal: AbortSignal.any([left, stop.signal]),
      oneCall: asked.oneCall,
      encoder: new ResponseEncoder(head),
      settle: async (result, pieces) => {
        this.#running.delete(head.id);
        const resource = place && result && new ResponseEncoder(head).whole(result, pieces);
        if (place) await this.#settle(wanted, place, head.id, result?.error ? undefined : resource);
      },
    };
  }

  /**
   * Returns where the turn is kept: behind the response that it continues, unless another is there.
   */
  async #place({ previous, sent }: Wanted): Promise<Place> {
    const { history } = sent;
    const kept = this.#kept();
    const { sessions } = this.#deps.store() ?? {};
    if (!previous || !kept || !sessions) return ownPlace(newConversation(), history);
    const behind = await placeBehind(sessions, kept, previous, history);
    if (behind) return behind;
    return ownPlace(newConversation(), withAnswers(await saidUpTo(sessions, previous), history));
  }

  /** Returns all that the model is shown of a turn that is not kept. */
  async #unkept({ previous, sent }: Wanted): Promise<SentConversation["history"]> {
    const { sessions } = this.#deps.store() ?? {};
    const past = previous && sessions ? await saidUpTo(sessions, previous) : [];
    return withAnswers(past, sent.history);
  }

  async #settle(wanted: Wanted, place: Place, id: string, resource: Sent | undefined): Promise<void> {
    const kept = this.#kept();
    const { sessions } = this.#deps.store() ?? {};
    if (!kept || !sessions) return;
    const { device, items, system } = wanted;
    const input = keptItems(items, id);
    if (!resource || !fits({ resource, input, system })) {
      await undoTurn(sessions, kept, place);
      await kept.tidy(place.session, device);
      return;
    }
    const messages = await settleTurn(sessions, place);
    await kept.keep(place.session, device, { resource, input, system, messages });
  }
}

/**
 * Returns parts that no word of a chat begins, so that the model is told them as they are: such a
 * word changes the conversation in ways that a kept response does not tell.
 */
function noCommand(parts: readonly Part[]): readonly Part[] {
  if (!/^\s*\/[a-z]/i.test(textOf(parts))) return parts;
  const begin = parts.findIndex((part) => part.type === "text" && part.text.trim() !== "");
  return parts.map((part, at) =>
    at === begin && part.type === "text" ? { ...part, text: `/${part.text.trimStart()}` } : part,
  );
}

/** Returns the calls that the input may answer. */
function openIn(previous: FoundResponse | undefined): ReadonlyMap<string, string> {
  const output = previous?.response.resource["output"];
  return callsIn(Array.isArray(output) ? output : []);
}
