import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { freePort, Platform, startEchoModel, unbounded } from "../../test/e2e/platform.ts";
import { said, startGantry, tempDir, type Ended } from "../../test/helpers/cli.ts";

/** A daemon with a directory of its own, as on another machine. */
export interface ClusterNode {
  readonly name: string;
  readonly dir: string;
  /** The address of its gateway. */
  readonly base: string;
  readonly isUp: boolean;
  /** All that it has said on stderr. */
  readonly said: string;
  start(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<Ended>;
  signal(signal: NodeJS.Signals): void;
}

export interface Cluster extends AsyncDisposable {
  readonly nodes: readonly ClusterNode[];
  readonly platform: Platform;
  /** The words that each sender wrote and had taken, in order. */
  readonly accepted: ReadonlyMap<string, string[]>;
  /** Senders write until `signal` is aborted, each word to any node that takes it. */
  write(senders: readonly string[], signal: AbortSignal, pauseMs?: number): Promise<void>;
  /** Resolves once everything that was taken is answered; returns what came of it. */
  tally(): Promise<Tally>;
}

export interface Tally {
  /** The answers to what each sender wrote, in their order. */
  readonly expected: readonly (readonly string[])[];
  /**
   * The words that each sender was sent, in order; one that came twice counts where it came first.
   */
  readonly firsts: readonly (readonly string[])[];
  /** The words that were sent more than once. */
  readonly doubled: readonly string[];
}

/** So many messages of a person are open at most. */
const mostOpen = 6;
/** The platform gives up a delivery then, and makes it again at any node. */
const patienceMs = 2_000;
const env = { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" };

/**
 * Starts nodes on one database, with a platform that delivers to each of them and a model that
 * repeats words.
 */
export async function startCluster(
  names: readonly string[],
  store: string | ((node: string) => string),
  given?: { readonly provider: string; close(): void },
  envOf: (node: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<Cluster> {
  const platform = new Platform();
  const graph = await platform.start();
  const model = given ?? (await startEchoModel(() => Math.random() * 30));
  const configOf = (name: string): string =>
    [
      `default_provider = "${model.provider}"\ndefault_model = "m"`,
      `[store]\nbackend = "postgres"\n${typeof store === "string" ? store : store(name)}`,
      `[endpoints]\ngraph_url = "${graph}"`,
      '[channels_config.chatapp]\naccess_token = "t"\nphone_number_id = "1"\nverify_token = "v"',
      `allowed_numbers = ["*"]\nowners = ["+491"]\napp_secret = "${platform.secret}"`,
    ].join("\n");
  const homes = names.map(() => tempDir());
  const nodes = await Promise.all(
    names.map(async (name, at) => nodeOf(name, homes[at]!.dir, configOf(name), envOf(name))),
  );
  const accepted = new Map<string, string[]>();
  await Promise.all(nodes.map((node) => node.start()));

  const sender = async (from: string, signal: AbortSignal, pauseMs: number): Promise<void> => {
    const mine: string[] = [];
    accepted.set(`+${from}`, mine);
    const answers = answersTo(platform, `+${from}`);
    for (let n = 0; !signal.aborted; n += 1) {
      // A machine that is slow today gets no more than it can answer.
      while (mine.length - answers() >= mostOpen && !signal.aborted)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const word = `message-${from}-${n}`;
      // A message that was delivered and not acknowledged comes again, as platforms do, at any
      // node.
      while (
        !(await platform.deliver(
          anyOf(nodes).base,
          from,
          `id-${word}`,
          word,
          AbortSignal.timeout(patienceMs),
        ))
      )
        await new Promise((resolve) => setTimeout(resolve, 20));
      mine.push(word);
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
    }
  };
  return {
    nodes,
    platform,
    accepted,
    async write(senders, signal, pauseMs = 25) {
      await Promise.all(senders.map((from) => sender(from, signal, pauseMs)));
    },
    async tally() {
      const all = [...accepted.values()].flat();
      await platform.until(() => {
        const told = new Set(platform.replies.map(({ body }) => body));
        return all.every((word) => told.has(`re: ${word}`));
      });
      return tallyOf(accepted, platform);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.isUp && node.end("SIGKILL")));
      platform.stop();
      model.close();
      for (const home of homes) home[Symbol.dispose]();
    },
  };
}

function anyOf(nodes: readonly ClusterNode[]): ClusterNode {
  const up = nodes.filter(({ isUp }) => isUp);
  return up[Math.floor(Math.random() * up.length)] ?? nodes[0]!;
}

async function nodeOf(
  name: string,
  dir: string,
  config: string,
  own: Readonly<Record<string, string>>,
): Promise<ClusterNode> {
  const port = await freePort();
  const table = `[gateway]\nport = ${port}\n${unbounded}\n[node]\nname = "${name}"`;
  writeFileSync(`${dir}/config.toml`, `${config}\n${table}\n`, { mode: 0o600 });
  let told = "";
  let running: { readonly child: ChildProcess; readonly ended: Promise<Ended> } | undefined;
  return {
    name,
    dir,
    base: `http://127.0.0.1:${port}`,
    get isUp() {
      return running !== undefined;
    },
    get said() {
      return told;
    },
    async start() {
      const started = startGantry(["daemon"], { dir, env: { ...env, ...own } });
      started.child.stderr?.on("data", (text: string) => (told += text));
      await said(started.child, "stderr", /Gantry is ready/);
      running = started;
    },
    async end(signal) {
      const ending = running!;
      running = undefined;
      ending.child.kill("SIGCONT");
      ending.child.kill(signal);
      if (ending.child.exitCode === null && ending.child.signalCode === null)
        await once(ending.child, "exit");
      return ending.ended;
    },
    signal: (signal) => void running?.child.kill(signal),
  };
}

/**
 * Returns the answers to a person, in order. A notice to somebody who waits long is not an answer.
 */
function toldTo({ replies }: Platform, number: string): readonly string[] {
  return replies.flatMap(({ to, body }) => (`+${to}` === number && body.startsWith("re: ") ? [body] : []));
}

/** Counts the words that a person was answered, reading each reply once. */
function answersTo({ replies }: Platform, number: string): () => number {
  const told = new Set<string>();
  let read = 0;
  return () => {
    for (; read < replies.length; read += 1) {
      const { to, body } = replies[read]!;
      if (`+${to}` === number && body.startsWith("re: ")) told.add(body);
    }
    return told.size;
  };
}

function tallyOf(accepted: ReadonlyMap<string, string[]>, platform: Platform): Tally {
  const told = [...accepted.keys()].map((number) => toldTo(platform, number));
  const firsts = told.map((answers) => [...new Set(answers)]);
  const doubled = told.flatMap((answers) => twice(answers));
  return {
    expected: [...accepted.values()].map((words) => words.map((word) => `re: ${word}`)),
    firsts,
    doubled,
  };
}

function twice(answers: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return answers.filter((text) => seen.size === seen.add(text).size);
}
