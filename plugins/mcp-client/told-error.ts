import { GantryError } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";

/** Returns what is told of a failure of a server, with `name` in a call of that tool or prompt. */
export function toldError(error: Error, server: string, name: string): Error {
  if (error instanceof GantryError && error.code.startsWith("MCP_")) return error;
  const said = printable(error.message, 500);
  return error.name === "ProtocolError" && name !== ""
    ? errors.MCP_CALL(server, printable(name, 64), said)
    : errors.MCP_FAILED(server, said, server);
}
