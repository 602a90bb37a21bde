import type { InboundMessage, MediaRef } from "../../index.ts";

export interface Row {
  readonly number: number;
  readonly message: InboundMessage;
  readonly lane: string;
  readonly isNotice: boolean;
  state: "waiting" | "done" | "dead";
  accepted: number;
  attempt: number;
  /** That of its last claim. */
  token?: string | undefined;
  begun: number;
  failures: number;
  due: number;
  yields?: boolean;
  tried?: number;
  waitsFor?: string | undefined;
  reply?: string;
  files?: readonly MediaRef[];
  reason?: string;
  ended?: number;
}

export interface Hold {
  readonly token: string;
  /** Which handle took it. */
  readonly node: string;
  until: number;
  readonly row?: Row;
}
