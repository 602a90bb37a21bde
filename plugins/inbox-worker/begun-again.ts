import type { Audit } from "@gantry/sdk";
import { laneOf, userOf, type Claim } from "@gantry/sdk/fill";

const words =
  "[The service ended while it worked on this message, or lost it to another: tools may have run " +
  "already. Look at what is done before you do it again.]";

/**
 * Returns the note for the model of a turn that begins again, whose beginning is recorded;
 * undefined for a first one. The steps of a turn are not kept, so its tools run again. Throws
 * AUDIT_FAILED.
 */
export async function noteOf({ begun, message }: Claim, audit: Audit): Promise<string | undefined> {
  if (begun < 2) return undefined;
  await audit.record({
    event_type: "anomaly",
    tool: "",
    args: { message: message.id, begun },
    result: "turn_begins_again",
    user: userOf(message),
    session_id: message.session ?? laneOf(message),
  });
  return words;
}
