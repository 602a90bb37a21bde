/** What the service manager is to run, and within which bounds. */
export interface ServiceSpec {
  /** Program and arguments, absolute. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  /** The service's own, apart from what bounds its tools. */
  readonly limits: { readonly max_open_files: number; readonly max_memory_mb?: number };
}

/** Of this user, or of the machine, under a user of its own. */
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
  /** Where the unit stands. */
  readonly file: string;
  /** Where the unit of the other scope stands, and how that one is meant. */
  readonly other?: { readonly file: string; readonly cure: string };
  /** What is said once it is done. */
  readonly said: Partial<Readonly<Record<Action, readonly string[]>>>;
  plan(action: Action): readonly Step[];
  readonly query: readonly string[];
  /** Reads what the query printed, with its exit code; undefined where the manager itself could not be asked. */
  read(code: number, stdout: string): Omit<ServiceState, "installed"> | undefined;
}
