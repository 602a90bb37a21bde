import type { InboundMessage } from "../../index.ts";

export interface Row {
  readonly number: number;
  readonly message: InboundMessage;
  readonly lane: string;
  readonly isNotice: boolean;
  state: "waiting" | "done" | "dead";
  accepted: number;
  attempt: number;
  begun: number;
  failures: number;
  due: number;
  tried?: number;
  waitsFor?: string | undefined;
  reply?: string;
  reason?: string;
  ended?: number;
}

export interface Hold {
  readonly holder: string;
  until: number;
  readonly row?: Row;
}
