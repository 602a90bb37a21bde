import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** Says with which status a request is refused, why, and for which of its parameters. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly param: string;
  readonly why: GantryError;

  constructor(status: number, param: string, why: GantryError) {
    super(why.message);
    this.status = status;
    this.param = param;
    this.why = why;
  }
}

export class BadRequest extends RefusedRequest {
  constructor(param: string, what: string) {
    super(400, param, errors.OPENAI_BAD_REQUEST(param, what));
  }
}
