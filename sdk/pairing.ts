import { one } from "./slot.ts";

/** One-time codes of `gantry pair new`, for every door that lets somebody in; filled by the gateway. */
export interface PairingCodes {
  /** Uses a code up, or throws PAIR_CODE_INVALID; after five wrong ones of a peer PAIR_LOCKED for five minutes. */
  redeem(code: string, peer: string): Promise<void>;
}
export const PairingCodes = one<PairingCodes>("pairing-codes");
