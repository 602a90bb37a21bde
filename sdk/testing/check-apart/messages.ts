import type { ExitCode } from "../../index.ts";
import type { ApartSubject, CheckedApart } from "./subject.ts";

export type Asked = Omit<ApartSubject, "signal"> & Required<Pick<ApartSubject, "patienceMs">>;

export interface Failure {
  readonly code: string;
  readonly exit: ExitCode;
  readonly message: string;
}

/** The other process's message: its next step, or its end. */
export interface Told {
  readonly next?: { readonly name: string; readonly during: string };
  readonly end?: CheckedApart;
  readonly failure?: Failure;
}
