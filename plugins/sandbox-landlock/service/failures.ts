import type { Fault } from "../messages.ts";

/** A fault that the confined process told of, still without its error code. */
export class ConfinedFault extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super("reason" in fault ? `${fault.fault}: ${fault.reason}` : fault.fault);
    this.fault = fault;
  }
}

/** Thrown if a start takes so long that nothing can be told of the walls; nothing then runs. */
export class StartHung extends Error {}

/**
 * Thrown if the process has gone, as when the kernel ends it, or was ended because nothing it says
 * can be taken.
 */
export class ProcessLost extends Error {
  constructor() {
    super("the confined process ended");
  }
}
