import { many } from "./slot.ts";
import { having } from "./shape.ts";

export interface CommandOption {
  /** As people write it: `--provider <id>`, `--json`, `--port <number>`. */
  readonly flags: string;
  readonly summary: string;
  /** May be given more than once; its value is then the list of what was given. */
  readonly repeatable?: boolean;
}

/** The value that a person gave for an option. */
export type OptionValue = string | boolean | readonly string[] | undefined;

/** Options for how a command reads its input. */
export interface InputOptions {
  /** Ends the input, as the command's own signal does. */
  readonly signal?: AbortSignal;
  /** Characters of a line; default 8 Mi. */
  readonly maxLength?: number;
}

/** Stdin of a command, opened once it is asked for and read once, as bytes or as lines. */
export interface CommandInput {
  /** Pieces as they come. */
  bytes(options?: Pick<InputOptions, "signal">): AsyncIterable<Uint8Array>;
  /** Lines of UTF-8 without their ends. Throws INPUT_LINE_TOO_LONG. */
  lines(options?: InputOptions): AsyncIterable<string>;
}

export interface CommandContext {
  readonly args: readonly string[];
  /** By long name in camelCase; a flag without a value is true, a repeatable option a list. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Writes a line on stdout: the answer. */
  out(line: string): void;
  /** Writes a line on stderr: everything else. */
  err(line: string): void;
  /** Absent in hosts of earlier releases. */
  readonly input?: CommandInput;
  /**
   * The person at the terminal, as the audit names them: `cli:<user>`. Absent in hosts of earlier
   * releases.
   */
  readonly user?: string;
  /** True if a person sits at a terminal. */
  readonly interactive: boolean;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Starts the named services (all of them if none are named), those that run `always`, and the
   * inbox; resolves to the exit code after a clean stop.
   */
  serve(services?: readonly string[]): Promise<number>;
}

/** A word of the command line. */
export interface Command {
  /** One or two words: `models refresh`. */
  readonly name: string;
  readonly summary: string;
  /** As people write them: `<path>`, `[name]`. */
  readonly args?: readonly string[];
  readonly options?: readonly CommandOption[];
  /**
   * Also runs if the configuration file is wrong, by what is right in it: the rest is left out and
   * stands in `Runtime.problems`. It must run no tool and serve nobody. If it tells the state of
   * the service, its exit code has to be that of the first problem.
   */
  readonly despiteProblems?: boolean;
  /**
   * Speaks a protocol on stdin and stdout: `out` alone writes there, each line as it is, and what
   * anybody else prints goes to stderr. Nobody is asked at the terminal. It ends when its input
   * ends.
   */
  readonly ownsStdout?: boolean;
  /** Resolves to the exit code, or throws a coded error. */
  run(run: CommandContext): Promise<number>;
}
export const Commands = many<Command>("commands", having("run"));

/** One line of `status` and `doctor`. */
export interface CheckRow {
  readonly what: string;
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  /** The way to put it right, if there is one. */
  readonly cure?: string;
  /**
   * The cure as an action, if it is safe: it changes no more than its label says, and can be
   * repeated.
   */
  readonly fix?: RowFix;
  /** Somebody asked for this state: `GET /ready` tells it, and no alert does. */
  readonly planned?: true;
}

/**
 * A remedy for a row of a check of kind `status` or `doctor`: a button on the console's page of
 * health, and `POST /api/doctor/fix`.
 */
export interface RowFix {
  /** As a button says it: `Close it to other users`. */
  readonly label: string;
  /** Does it, once the row was asked for again and still says so. Throws if it cannot. */
  run(): Promise<void>;
}

/**
 * A plugin's report on itself in `status` (quick, local), in `doctor` (may reach out), and while it
 * serves in `GET /ready`: there a row that fails means that the service cannot do its work, one
 * that warns is an alert beside it, and `what` is told to anybody. Rows of one cause have one
 * `what`, whichever check tells of it. If a check throws or does not answer in five seconds, its
 * name is the cause.
 */
export interface Check {
  readonly name: string;
  readonly kind: "status" | "doctor" | "channel" | "ready";
  run(signal: AbortSignal): Promise<readonly CheckRow[]>;
}
export const Checks = many<Check>("checks", (check: Check) => {
  if (!["status", "doctor", "channel", "ready"].includes(check.kind))
    return 'does not state its kind: "status", "doctor", "channel" or "ready"';
  return having("run")(check);
});

/** Runs only while the service does: a listener, a poll, a timer. */
export interface Service {
  readonly name: string;
  /** True: it runs whenever the host serves, whichever services a command names. */
  readonly always?: boolean;
  /** Resolves once it is ready. */
  start(): Promise<void>;
  /** Takes no new work; resolves when what runs has ended or `signal` says that time is up. */
  stop(signal: AbortSignal): Promise<void>;
}
export const Services = many<Service>("services", having("start", "stop"));
