import { randomBytes } from "node:crypto";
import { shortHash } from "@gantry/sdk/node";
import { readTraceparent } from "@gantry/sdk/fill";
import type { ModelAnswer, Observer, TurnFacts } from "@gantry/sdk";
import { key, metric, operation } from "./conventions.ts";
import type { Measurements } from "./measurements.ts";
import { messageSteps } from "./message-steps.ts";
import type { Attributes, Span } from "./span.ts";
import { channelOf, type Told } from "./told.ts";

/** Turns whose tools may still end; more are never under way. */
const mostTurns = 10_000;

/**
 * Makes spans and measurements of what happens. They name channels, models, tools, agents and
 * codes, and hold no word of anybody: no text, argument, address of a chat or name of a person.
 */
export function observer(told: Told): Observer {
  const traces = new Map<string, string>();
  const { measurements } = told;
  return {
    name: "telemetry-otlp",
    turnStarted({ turn, trace }) {
      if (turn === undefined || trace === undefined || traces.size >= mostTurns) return;
      traces.set(turn, trace);
    },
    turnEnded(facts) {
      const { turn, stop, code, ms } = facts;
      if (turn !== undefined) traces.delete(turn);
      const failure = code ?? (stop === "Error" ? "_OTHER" : undefined);
      const attributes = { ...namesOf(facts), [key.error]: failure };
      span(told, facts, "self", {
        name: facts.agent === undefined ? operation.agent : `${operation.agent} ${facts.agent}`,
        kind: "internal",
        ms,
        attributes: { ...attributes, [key.conversation]: shortHash(facts.session) },
      });
      measurements.time(metric.agent, "Duration of a turn.", ms / 1_000, attributes);
      told.measured();
    },
    modelAnswered(answer) {
      span(told, answer, "child", modelSpan(answer));
      measure(measurements, answer);
      told.measured();
    },
    toolFinished({ call, failed, code, ms }) {
      const attributes = {
        [key.operation]: operation.tool,
        [key.tool]: call.tool,
        [key.error]: failed ? (code ?? "_OTHER") : undefined,
      };
      const trace = call.turn === undefined ? undefined : traces.get(call.turn);
      if (trace !== undefined)
        span(told, { trace }, "child", {
          name: `${operation.tool} ${call.tool}`,
          kind: "internal",
          ms,
          attributes,
        });
      measurements.time(metric.tool, "Duration of a tool call.", ms / 1_000, attributes);
      told.measured();
    },
    approvalDecided({ user, decision, ms }) {
      const attributes = { [key.channel]: channelOf(user), "gantry.decision": decision };
      measurements.time(metric.approval, "From a question to its decision.", ms / 1_000, attributes);
      told.measured();
    },
    laneMoved: messageSteps(told),
  };
}

function namesOf({ user, agent }: TurnFacts): Attributes {
  return { [key.operation]: operation.agent, [key.agent]: agent, [key.channel]: channelOf(user) };
}

function modelSpan(answer: ModelAnswer): Step {
  const { model, ms, firstMs, outcome, stop, purpose } = answer;
  return {
    name: model === undefined ? operation.chat : `${operation.chat} ${model}`,
    kind: "client",
    ms,
    start: answer.started,
    attributes: {
      ...placeOf(answer),
      [key.purpose]: purpose,
      [key.conversation]: shortHash(answer.session),
      [key.finishReasons]: stop === undefined ? undefined : [stop],
      [key.timeToFirstChunk]: firstMs === undefined ? undefined : firstMs / 1_000,
      [key.inputTokens]: answer.inputTokens,
      [key.outputTokens]: answer.outputTokens,
      [key.cacheRead]: answer.cachedTokens || undefined,
      [key.cacheWrite]: answer.cacheWriteTokens,
      [key.reasoning]: answer.reasoningTokens || undefined,
      [key.error]: outcome === "ok" ? undefined : outcome,
    },
  };
}

function placeOf({ provider, model, responseModel, server }: ModelAnswer): Attributes {
  const [, address, port] = /^(.*?)(?::(\d+))?$/.exec(server ?? "") ?? [];
  return {
    [key.operation]: operation.chat,
    [key.provider]: provider,
    [key.requestModel]: model,
    [key.responseModel]: responseModel,
    [key.server]: address || undefined,
    [key.port]: port === undefined ? undefined : Number(port),
  };
}

function measure(measurements: Measurements, answer: ModelAnswer): void {
  const place = placeOf(answer);
  const { ms, firstMs, outcome } = answer;
  const attributes = { ...place, [key.error]: outcome === "ok" ? undefined : outcome };
  measurements.time(metric.inference, "Duration of a request to a model.", ms / 1_000, attributes);
  if (firstMs !== undefined)
    measurements.time(metric.firstChunk, "Time until an answer begins.", firstMs / 1_000, place);
  const tokens: readonly (readonly [string, string, number | undefined])[] = [
    [metric.inputTokens, "Tokens sent to models.", answer.inputTokens],
    [metric.outputTokens, "Tokens that models answered.", answer.outputTokens],
    [metric.cacheRead, "Input tokens that a cache held.", answer.cachedTokens],
    [metric.cacheWrite, "Input tokens written to a cache.", answer.cacheWriteTokens],
    [metric.reasoning, "Output tokens that nobody sees.", answer.reasoningTokens],
  ];
  for (const [name, description, count = 0] of tokens)
    measurements.add(name, "{token}", description, count, place);
}

interface Step extends Pick<Span, "name" | "kind" | "attributes"> {
  readonly ms: number;
  /** Unix ms; without it the step has ended just now. */
  readonly start?: number | undefined;
}

/** Makes a span of a step that has ended: the turn's own one, or one below it. */
function span(
  told: Told,
  { trace, parent }: Pick<TurnFacts, "trace" | "parent">,
  place: "self" | "child",
  { name, kind, attributes, ms, start = Date.now() - ms }: Step,
): void {
  const ids = readTraceparent(trace);
  if (!ids || !told.isSampled(ids.traceId, ids.flags)) return;
  const [spanId, parentId] =
    place === "self" ? [ids.spanId, parent] : [randomBytes(8).toString("hex"), ids.spanId];
  const failed = attributes[key.error] !== undefined;
  told.span({
    traceId: ids.traceId,
    spanId,
    parentId,
    name,
    kind,
    start,
    end: start + ms,
    attributes,
    failed,
  });
}
