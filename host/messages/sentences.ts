import type { InboundMessage } from "@gantry/sdk";

/** What people in channels are told when something else than an answer comes of their message. Only an owner learns why. */
export const sentences = {
  ended: (message: InboundMessage, reason: string): string =>
    told(message, "I could not answer your message, and it was put aside", reason),

  waits: (message: InboundMessage, reason: string): string =>
    told(message, "I cannot answer now; your message is kept and answered once that is mended", reason),

  noText: (stop: string): string =>
    `The model ended without an answer (${stop}): please ask again, in other words.`,

  tooMany: (most: number): string =>
    `${most} of your messages wait for an answer already, so further ones are not taken: please send them again later.`,

  tooFast: (most: number): string =>
    `You wrote more than ${most} messages in a minute: they are kept, and answered at that pace.`,
};

function told({ trust }: InboundMessage, sentence: string, reason: string): string {
  return trust === "owner" ? `${sentence}: ${reason}` : `${sentence}.`;
}
