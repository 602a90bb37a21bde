import type { InboundMessage } from "@gantry/sdk";

/** What people in channels are told when something else than an answer comes of their message. Only an owner learns why. */
export const sentences = {
  ended: (message: InboundMessage, reason: string): string =>
    told(message, "I could not answer your message, and it was put aside", reason),

  waits: (message: InboundMessage, reason: string): string =>
    told(message, "I cannot answer now; your message is kept and answered once that is mended", reason),

  held: (message: InboundMessage, reason: string): string =>
    told(
      message,
      "Your message is kept, and tried again once I have run for a while without a break",
      reason,
    ),

  later: (message: InboundMessage, at: number, reason: string): string => {
    const when = new Date(at).toISOString().slice(0, 16).replace("T", " ");
    return told(message, `I cannot answer now; your message is kept, and answered after ${when} UTC`, reason);
  },

  /** What the model said before the turn broke off stands before it. */
  broke: (message: InboundMessage, said: string, reason: string): string => {
    const sentence = told(
      message,
      "I could not go on; what was done so far stays done. Write again to go on",
      reason,
    );
    return said === "" ? sentence : `${said}\n\n[${sentence}]`;
  },

  cutOff: (command: string): string =>
    `I was interrupted at ${command.trim().split(/\s/, 1)[0]}, which may or may not be done: look, and write it again if it is not.`,

  tooMany: (most: number): string =>
    `${most} of your messages wait for an answer already, so further ones are not taken: please send them again later.`,

  tooFast: (most: number): string =>
    `You wrote more than ${most} messages in a minute: they are kept, and answered at that pace.`,
};

function told({ trust }: InboundMessage, sentence: string, reason: string): string {
  return trust === "owner" ? `${sentence}: ${reason}` : `${sentence}.`;
}
