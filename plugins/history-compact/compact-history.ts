import { sizeOf } from "@gantry/sdk/fill";
import type { ChatMessage, FittedHistory, History } from "@gantry/sdk";
import type { HistoryRequest, Logger } from "@gantry/sdk";
import { baseOf, wordsIn } from "./base.ts";
import type { Gauge } from "./gauge.ts";
import { asLine, cutResult, turnsOf, withoutMedia } from "./shorten.ts";
import { summarise } from "./summary.ts";
import type { Windows } from "./windows.ts";

/** A conversation of so many tokens is worth asking the server for the window of its model. */
const ASK_FROM = 4_000;
/** Turns that stay as they are. */
const KEPT_TURNS = 2;
/** A person who wants the model to see fewer turns than this wants no summary of the others. */
const FEWEST_FOR_SUMMARY = 8;
/** Taken off a window that a refusal without numbers has shown to be too small. */
const LESS = 0.7;

/** All in characters, as the gauge counts them. */
interface Room {
  readonly window: number;
  /** Above it the conversation is made shorter, to `goal`. */
  readonly most: number;
  readonly goal: number;
}

/**
 * Makes a conversation shorter in steps: long results cut, old ones to a line, old turns to their
 * words and a summary.
 */
export class CompactHistory implements History {
  readonly #windows: Windows;
  readonly #gauge: Gauge;
  readonly #percent: number;
  readonly #log: Logger;

  constructor(windows: Windows, gauge: Gauge, percent: number, log: Logger) {
    this.#windows = windows;
    this.#gauge = gauge;
    this.#percent = percent;
    this.#log = log;
  }

  async fit(request: HistoryRequest): Promise<FittedHistory | undefined> {
    if (request.reason === "overflow") {
      const bare = withoutMedia(request);
      // The media were too large, so the refusal says nothing about the window.
      if (bare) return bare;
      await this.#learn(request);
    }
    const room = await this.#room(request);
    const current = capped(request, room.window);
    const whole = sizeIn(request, request.earlier, current);
    const isDue = request.reason !== "request" || whole > room.most || hasManyTurns(request);
    const fitted = isDue
      ? await this.#shorter(request, { earlier: request.earlier, current }, room)
      : { earlier: request.earlier, current };
    this.#gauge.sends(request.session, sizeIn(request, fitted.earlier, fitted.current));
    return isDue || current !== request.current ? fitted : undefined;
  }

  /** The window as the server has just told it, or less than what it refused. */
  async #learn(request: HistoryRequest): Promise<void> {
    const { model, failure } = request;
    const size = sizeIn(request, request.earlier, request.current);
    const told = failure?.contextWindow;
    if (told !== undefined) {
      this.#gauge.tooLong(model.model, size, told);
      return this.#windows.learn(model, told);
    }
    await this.#windows.learn(model, Math.floor(this.#gauge.tokens(size, model.model) * LESS));
  }

  async #room(request: HistoryRequest): Promise<Room> {
    const { model, signal } = request;
    const tokens = this.#gauge.tokens(sizeIn(request, request.earlier, request.current), model.model);
    const found = await this.#windows.of(model, tokens > ASK_FROM, signal);
    const window = this.#gauge.characters(found.tokens, model.model);
    const most = (window * this.#percent) / 100;
    return { window, most, goal: request.overhead + Math.max(0, most - request.overhead) / 2 };
  }

  /** Step by step, until it has reached its goal. */
  async #shorter(
    request: HistoryRequest,
    from: FittedHistory,
    { window, most, goal }: Room,
  ): Promise<FittedHistory> {
    const fits = ({ earlier, current }: FittedHistory): boolean => sizeIn(request, earlier, current) <= goal;
    const turns = turnsOf(from.earlier);
    const old = turns.slice(0, -KEPT_TURNS).flat();
    const kept = turns.slice(-KEPT_TURNS).flat();

    const inLines = { ...from, earlier: [...old.map(asLine), ...kept] };
    const onlyTooMany = request.reason === "request" && hasManyTurns(request);
    if (fits(inLines) && !onlyTooMany && request.reason !== "asked") return inLines;

    const base = await this.#base(old, request, window);
    const summed = { ...from, earlier: [...base, ...kept] };
    if (fits(summed)) return summed;

    const keptInLines = { ...from, earlier: [...base, ...kept.map(asLine)] };
    if (fits(keptInLines)) return keptInLines;

    const whole = { earlier: keptInLines.earlier, current: openKept(from.current) };
    if (fits(whole)) return whole;

    const alone = { earlier: await this.#base(from.earlier, request, window), current: whole.current };
    const room = most - request.overhead - sizeOf(alone.earlier);
    return { ...alone, current: shared(alone.current, room) };
  }

  /** Returns the replacement of these messages; nothing if there are none. */
  async #base(
    messages: readonly ChatMessage[],
    request: HistoryRequest,
    window: number,
  ): Promise<readonly ChatMessage[]> {
    if (messages.length === 0) return [];
    const words = wordsIn(messages, window / 10);
    const room = { read: Math.floor(window / 2), write: Math.floor(window / 12) };
    return baseOf(words, await summarise(messages, request, room, this.#log));
  }
}

function sizeIn(
  { overhead }: HistoryRequest,
  earlier: readonly ChatMessage[],
  current: readonly ChatMessage[],
): number {
  return overhead + sizeOf(earlier) + sizeOf(current);
}

function hasManyTurns({ earlier, mostTurns }: HistoryRequest): boolean {
  return mostTurns >= FEWEST_FOR_SUMMARY && turnsOf(earlier).length >= mostTurns;
}

/**
 * Returns the new messages of this turn, cut to the room there is: a quarter of the window for a
 * result, half of it for all of an answer's.
 */
function capped({ earlier, current, sent }: HistoryRequest, window: number): readonly ChatMessage[] {
  const known = Math.max(0, sent - earlier.length);
  const fresh = current.slice(known);
  const results = fresh.filter(({ role }) => role === "tool").length;
  const most = Math.floor(Math.min(window / 4, window / 2 / Math.max(1, results)));
  const cut = fresh.map((message) => {
    if (message.role === "tool") return cutResult(message, most);
    return message.role === "user" ? cutResult(message, Math.floor(window / 3)) : message;
  });
  return cut.every((message, i) => message === fresh[i]) ? current : [...current.slice(0, known), ...cut];
}

/** The results that the model has yet to see, and all before them as lines. */
function openKept(current: readonly ChatMessage[]): readonly ChatMessage[] {
  const open = current.findLastIndex(({ role }) => role === "assistant");
  return current.map((message, i) => (i < open ? asLine(message) : message));
}

/** Shares the rest of the room equally among the results and the person's message. */
function shared(current: readonly ChatMessage[], room: number): readonly ChatMessage[] {
  const long = current.filter(({ role }) => role === "tool" || role === "user").length;
  const most = Math.max(400, Math.floor(room / Math.max(1, long)));
  return current.map((message) =>
    message.role === "tool" || message.role === "user" ? cutResult(message, most) : message,
  );
}
