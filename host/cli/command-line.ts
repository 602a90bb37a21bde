import { allOf } from "@gantry/sdk/fill";
import { Commands, GantryError, type Command, type CommandContext } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { asError, printable, userOfTerminal } from "@gantry/sdk/node";
import { currentPlugin, type Host, hostErrors, type Level, type LogWriter } from "@gantry/host";
import { Installation } from "./installation.ts";
import { commandInput } from "./command-input.ts";
import { stdoutAside } from "./stdout-aside.ts";
import { terminalLine } from "./terminal-line.ts";
import { parseArgs, type Parsed } from "./parse-args.ts";
import { hostCommands } from "./commands/index.ts";
import { terminalWriter } from "./log-writers.ts";
import { ManagerNotice } from "./notify-manager.ts";
import { ServedHost } from "./served-host.ts";
import { servedWriter } from "./served-log.ts";
import { startWithoutWrong } from "./start-without-wrong.ts";
import { orUnconfigured } from "./unconfigured-word.ts";
import { wordIn, workspaceIn } from "./words-in-line.ts";
import { untilAborted } from "./until-aborted.ts";

/** Finds the word, runs it, prints what went wrong; gives the exit code. */
export async function runCommandLine(argv: readonly string[], configDir: string): Promise<number> {
  const debug = argv.includes("--debug");
  const run = new WordRun(configDir, debug);
  let code: number;
  try {
    code = await run.go(argv.filter((arg) => arg !== "--debug"));
  } catch (error) {
    code = run.fail(asError(error));
  } finally {
    await run.end();
  }
  return run.written(code);
}

/** Whether the line begins with this word, or with both of a word of two. */
function isNamed(argv: readonly string[], name: string): boolean {
  return name === argv.slice(0, name.split(" ").length).join(" ");
}

class WordRun {
  readonly #debug: boolean;
  readonly #session: Installation;
  readonly #abort = new AbortController();
  #host: Host | undefined;
  #signal: "SIGINT" | "SIGTERM" | undefined;
  #serving = false;
  #served: LogWriter | undefined;
  /** Set where the answer was lost on its way out, as on a full disk. */
  #unwritten: GantryError | undefined;
  /** Why keys of the configuration are left out for this word. */
  #leftOut: readonly GantryError[] = [];

  constructor(configDir: string, debug: boolean) {
    this.#session = new Installation(configDir);
    this.#session.readsServiceEnv = true;
    this.#debug = debug;
    process.on("SIGINT", () => this.#stopBy("SIGINT"));
    process.on("SIGTERM", () => this.#stopBy("SIGTERM"));
    process.on("uncaughtException", (error) => this.#thrownLater(error));
    process.on("unhandledRejection", (reason) => this.#thrownLater(asError(reason)));
    for (const stream of [process.stdout, process.stderr]) {
      stream.on("error", (error: NodeJS.ErrnoException) => {
        // Nobody reads on: a command is done, a service goes on without its log.
        if (error.code === "EPIPE" && !this.#serving) process.exit(0);
        if (stream === process.stdout)
          this.#unwritten = errors.FILE_FAILED("The output", "written", error.code);
      });
    }
  }

  async go(argv: readonly string[]): Promise<number> {
    // Where the line names a word of the host's own, no plugin is started to read it.
    const own = hostCommands.filter(({ name }) => isNamed(argv, name));
    if (!own.some(({ needsVariables }) => needsVariables))
      this.#session.onLeftOut = (missing) => this.#warnOnce(missing);
    if (own.length === 0) [this.#session.word, this.#session.workspace] = [wordIn(argv), workspaceIn(argv)];
    const words = own.length > 0 ? own : [...hostCommands, ...(await this.#pluginWords(argv))];
    const parsed = await parseArgs(argv, words).catch(orUnconfigured(argv[0], words, this.#host));
    if (parsed.kind === "printed") return parsed.code;
    const code = await this.#runWord(parsed);
    return this.#signal === "SIGINT" && code !== 0 ? 130 : code;
  }

  async #runWord({ word, args, options }: Parsed & { kind: "word" }): Promise<number> {
    const isOwn = word.ownsStdout === true;
    const print = process.stdout.write.bind(process.stdout);
    const run: Required<CommandContext> = {
      args,
      options,
      out: (line) => void print(`${isOwn ? line : terminalLine(line, process.stdout)}\n`),
      err: (line) => void process.stderr.write(`${terminalLine(line, process.stderr)}\n`),
      input: commandInput(this.#abort.signal),
      user: userOfTerminal(),
      interactive: !isOwn && process.stdin.isTTY && process.stderr.isTTY,
      signal: this.#abort.signal,
      serve: (services) => this.#serve(services),
    };
    if (!("load" in word)) return isOwn ? stdoutAside(() => word.run(run)) : word.run(run);
    const { run: runHostWord } = await word.load();
    if (typeof options["workspace"] === "string") this.#session.workspace = options["workspace"];
    return runHostWord({
      ...run,
      session: this.#session,
      debug: this.#debug,
      host: () => this.#start(word.unused),
    });
  }

  /** The words of the plugins that are configured. Where those cannot be loaded, help is left with the host's words, and why is said. */
  async #pluginWords(argv: readonly string[]): Promise<readonly Command[]> {
    const [first = "help"] = argv;
    try {
      const host = await this.#start();
      return [...(host.get(Commands)?.values() ?? [])];
    } catch (error) {
      const isHelp = /^(?:help|-.*)$/.test(first);
      const words = isHelp ? [] : await this.#wordsDespite(argv);
      if (words.length > 0) return words;
      if (!isHelp && !hostCommands.some(({ name }) => name.startsWith(`${first} `))) throw error;
      this.fail(asError(error));
      return [];
    }
  }

  /** Where the configuration is wrong, the words are left that say what is wrong, or mend it. */
  async #wordsDespite(argv: readonly string[]): Promise<readonly Command[]> {
    const options = { debug: this.#debug };
    const host = await startWithoutWrong(this.#session, await this.#writer(), options).catch(() => undefined);
    const all = [...(host?.get(Commands)?.values() ?? [])];
    const words = all.filter(({ despiteProblems, name }) => despiteProblems && isNamed(argv, name));
    if (words.length === 0) await host?.stop();
    else this.#host = host;
    return words;
  }

  #warnOnce(missing: readonly GantryError[]): void {
    if (this.#leftOut.length === 0) {
      const [first, ...rest] = missing;
      const more = rest.length > 0 ? ` (and ${rest.length} more such keys)` : "";
      const message = `For this word the key is left out${more}: ${first?.message}`;
      process.stderr.write(`gantry: ${printable(message)} [${first?.code}]\n`);
    }
    this.#leftOut = missing;
  }

  async #start(unused: readonly string[] = []): Promise<Host> {
    const writer = await this.#writer();
    // What a plugin prints while it starts is not part of any answer.
    this.#host ??= await stdoutAside(() => this.#session.start(writer, { debug: this.#debug, unused }));
    return this.#host;
  }

  async #writer(): Promise<LogWriter> {
    const lowest = this.#debug ? "debug" : "warn";
    const terminal = terminalWriter(lowest, (line) => void process.stderr.write(`gantry: ${line}\n`));
    return (level, detail, message) => (this.#served ?? terminal)(level, detail, message);
  }

  /** From here on logs are a service's logs, and only a signal ends it. */
  async #serve(services?: readonly string[]): Promise<number> {
    const first = await this.#start();
    const missing = allOf(this.#leftOut);
    if (missing) throw missing;
    this.#session.onLeftOut = undefined;
    this.#served = await servedWriter(this.#lowest(first));
    this.#serving = true;
    // A service lives for months: a young generation that never grows costs little time and a quarter of the memory.
    const { setFlagsFromString } = await import("node:v8");
    setFlagsFromString("--semi-space-growth-factor=1");
    const served = new ServedHost(this.#session, first, services, async () => {
      const next = await this.#session.start(await this.#writer(), { debug: this.#debug });
      this.#served = await servedWriter(this.#lowest(next));
      return next;
    });
    const notice = new ManagerNotice(process.env);
    await served.start();
    process.on("SIGHUP", () => void served.reload().then(() => (this.#host = served.host)));
    first.log.info({ pid: process.pid }, "Gantry is ready.");
    notice.ready();
    await untilAborted(this.#abort.signal);
    served.host.log.info({ signal: this.#signal }, "Gantry stops.");
    notice.stopping();
    await served.stop();
    return this.#signal === "SIGINT" ? 130 : 0;
  }

  #lowest({ options }: Host): Level {
    return this.#debug ? "debug" : options.config.host.log.level;
  }

  #stopBy(signal: "SIGINT" | "SIGTERM"): void {
    if (this.#signal) process.exit(130);
    this.#signal = signal;
    this.#abort.abort();
  }

  #thrownLater(error: Error): void {
    const plugin = currentPlugin() ?? this.#pluginInStack(error);
    if (this.#host && (plugin || this.#serving)) return this.#host.failedLater(plugin ?? "host", error);
    process.exit(this.fail(plugin ? hostErrors.PLUGIN_FAILED_LATER(plugin, error) : error));
  }

  #pluginInStack({ stack = "" }: Error): string | undefined {
    const bundled = /[\\/]plugins[\\/]([a-z0-9-]+)[\\/]/.exec(stack)?.[1];
    const own = this.#host?.options.plugins.filter(({ from }) => from !== "bundled");
    return bundled ?? own?.find(({ from }) => stack.includes(from))?.plugin.name;
  }

  fail(error: Error): number {
    const known = error instanceof GantryError ? error : errors.INTERNAL(error);
    const { all = [known] } = error as { all?: readonly GantryError[] };
    for (const { message, code } of all) process.stderr.write(`gantry: ${printable(message)} [${code}]\n`);
    for (let at: unknown = this.#debug ? error : undefined; at instanceof Error; at = at.cause)
      process.stderr.write(`${at.stack ?? at.message}\n`);
    return this.#signal === "SIGINT" ? 130 : known.exit;
  }

  /** The exit code, once all that was printed is with its reader, who may be slow, or a failed write has been heard of. */
  async written(code: number): Promise<number> {
    await Promise.all([drained(process.stdout), drained(process.stderr)]);
    await new Promise(setImmediate);
    return this.#unwritten ? this.fail(this.#unwritten) : code;
  }

  async end(): Promise<void> {
    await this.#host?.stop();
  }
}

/** Resolves once all that was written has left, or cannot. */
async function drained(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.writableLength > 0) await new Promise((resolve) => stream.write("", resolve));
}
