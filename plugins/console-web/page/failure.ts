/** The answer of the service in place of what was asked for; status 0: it did not answer. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function asFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(0, "FAILED", String(error));
}

/** True if nobody answered, which is told of for every page, or the service is about to stop. */
export function isUnreachable(error: unknown): boolean {
  return ["UNREACHABLE", "GATEWAY_STOPPING"].includes(asFailure(error).code);
}
