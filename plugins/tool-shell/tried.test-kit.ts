import { readdirSync } from "node:fs";
import path from "node:path";
import {
  Approvals,
  type ApprovalRequest,
  type AuditEvent,
  Checks,
  type Plugin,
  type TurnEvent,
} from "@gantry/sdk";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import type { TestContext } from "vitest";
import commands from "../guard-commands/index.ts";
import autonomy from "../guard-autonomy/index.ts";
import sandbox from "../sandbox-landlock/index.ts";
import shell from "./index.ts";

type Outcome = Awaited<ReturnType<TestHost["call"]>>;

/** A person's answer to a question, and what happens meanwhile: `allow`, `deny`, or nothing. */
type Decide = (question: ApprovalRequest) => unknown;

export interface Trying extends AsyncDisposable {
  readonly host: TestHost;
  readonly workspace: string;
  readonly asked: ApprovalRequest[];
  /** Calls the shell; what it asks is decided so. */
  shell(command: string, decide: Decide, more?: Parameters<TestHost["call"]>[2]): Promise<Outcome>;
  /** Records of calls and decisions, in order. */
  audit(): readonly string[];
  /** Layers of runs that are kept, for whatever reason. */
  layers(): readonly string[];
}

interface TryingOptions {
  readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly plugins?: readonly Plugin[];
  readonly timeouts?: { readonly approval?: number };
}

/**
 * A host whose shell tries its commands first; the test is skipped where the system has no views.
 */
export async function startTrying({ skip }: TestContext, options: TryingOptions = {}): Promise<Trying> {
  const { config = {}, plugins = [], timeouts } = options;
  const host = await startTestHost({
    plugins: [sandbox, shell, autonomy, commands, ...plugins],
    config: {
      ...config,
      agent: { try_first: true, ...config["agent"] },
      security: { runs: "view", ...config["security"] },
    },
    ...(timeouts && { timeouts }),
  });
  const status = host.slot(Checks).get("sandbox-status");
  const rows = status && (await status.run(new AbortController().signal));
  const without = rows?.find(({ what, state }) => what === "sandbox" && state !== "ok");
  if (without) {
    await host.stop();
    skip(without.detail);
  }
  const asked: ApprovalRequest[] = [];
  const views = path.join(host.configDir, "state/views");
  return {
    host,
    workspace: host.runtime.workspace,
    asked,
    async shell(command, decide, more = {}) {
      const onEvent = (event: TurnEvent): void => {
        if (event.type !== "approval_request") return;
        asked.push(event.request);
        void answer(host, event.request, decide);
      };
      return host.call("shell", { command }, { approvals: "ask", onEvent, ...more });
    },
    audit: () => host.audit.filter(isOfCall).map(({ event_type, result }) => `${event_type}: ${result}`),
    layers: () => readdirSync(views).flatMap((one) => readdirSync(path.join(views, one))),
    [Symbol.asyncDispose]: () => host.stop(),
  };
}

async function answer(host: TestHost, question: ApprovalRequest, decide: Decide): Promise<void> {
  const word = await decide(question);
  if (typeof word === "string") await host.slot(Approvals).decide(question.id, word, { user: "cli:test" });
}

const isOfCall = ({ event_type }: AuditEvent): boolean =>
  ["tool_call", "tool_result", "approval", "security_refusal"].includes(event_type);
