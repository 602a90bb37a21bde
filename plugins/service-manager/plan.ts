/** The program that the service manager is to run, and its bounds. */
export interface ServiceSpec {
  /** Program and arguments, absolute. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  /** The service's own, apart from what bounds its tools. */
  readonly limits: { readonly max_open_files: number; readonly max_memory_mb?: number };
}

/** This user, or the machine under a user of its own. */
export type Scope = "user" | "system";
export type Action = "install" | "uninstall" | "start" | "stop" | "restart";

export type Step =
  | { readonly do: "write"; readonly path: string; readonly text: string; readonly mode: number }
  | { readonly do: "remove"; readonly path: string }
  /** `mayFail`: what it undoes or repeats may not be there. */
  | { readonly do: "run"; readonly argv: readonly string[]; readonly mayFail?: boolean };

export interface ServiceState {
  readonly installed: boolean;
  readonly running: boolean;
  /** The manager's own word. */
  readonly state: string;
  readonly pid?: number;
}

/** One kind of service manager, as data: nothing is run here. */
export interface Manager {
  /** The path of the unit. */
  readonly file: string;
  /** The path of the unit of the other scope, and how that one is meant. */
  readonly other?: { readonly file: string; readonly cure: string };
  /** The words that are printed once it is done. */
  readonly said: Partial<Readonly<Record<Action, readonly string[]>>>;
  plan(action: Action): readonly Step[];
  readonly query: readonly string[];
  /**
   * Reads the output of the query, with its exit code; undefined if the manager itself could not be
   * asked.
   */
  read(code: number, stdout: string): Omit<ServiceState, "installed"> | undefined;
}
