import type { InboundMessage } from "@gantry/sdk";

/** Sentences to people whose message waits or has ended. Only an owner learns the reason. */
export const told = {
  ended: (message: InboundMessage, reason: string): string =>
    withReason(message, "I could not answer your message, and it is kept as a dead letter", reason),

  waits: (message: InboundMessage, reason: string): string =>
    withReason(message, "I cannot answer now; your message is kept and answered once that is mended", reason),

  held: (message: InboundMessage, reason: string): string =>
    withReason(
      message,
      "Your message is kept, and tried again once I have run for a while without a break",
      reason,
    ),

  later: (message: InboundMessage, at: number, reason: string): string => {
    const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
    return withReason(
      message,
      `I cannot answer now; your message is kept, and answered after ${when} UTC`,
      reason,
    );
  },
};

function withReason({ trust }: InboundMessage, sentence: string, reason: string): string {
  return trust === "owner" ? `${sentence}: ${reason}` : `${sentence}.`;
}
