import type { GantryError } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** What is wrong with a request, and with which of its parameters. */
export class BadRequest extends Error {
  readonly param: string;
  readonly why: GantryError;

  constructor(param: string, what: string) {
    const why = errors.OPENAI_BAD_REQUEST(param, what);
    super(why.message);
    this.param = param;
    this.why = why;
  }
}
