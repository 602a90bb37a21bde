import type { ExitCode } from "../../index.ts";
import type { ApartSubject, CheckedApart } from "./subject.ts";

export type Asked = Omit<ApartSubject, "signal"> & Required<Pick<ApartSubject, "patienceMs">>;

export interface Failure {
  readonly code: string;
  readonly exit: ExitCode;
  readonly message: string;
}

/** What the other process says: what it does next, or how it ended. */
export interface Told {
  readonly next?: { readonly name: string; readonly during: string };
  readonly end?: CheckedApart;
  readonly failure?: Failure;
}
