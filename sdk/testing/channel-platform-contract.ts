import type { ChannelPlatformSubject } from "./channel-platform/platform.ts";
import { deliveryCases } from "./channel-platform/delivery-cases.ts";
import { peopleCases } from "./channel-platform/people-cases.ts";
import { sendingCases } from "./channel-platform/sending-cases.ts";
import { cases } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

/**
 * Returns the duties of every channel on a platform that answers, beside {@link channelContract}:
 * nothing lost or doubled, nobody answered who may not write, groups, threads, waits, refused
 * accounts, buttons, hostile text, a clean stop. Register each case with any test runner. Needs
 * @gantry/host beside the sdk.
 */
export function channelPlatformContract(subject: ChannelPlatformSubject): readonly ContractCase[] {
  return cases({ ...deliveryCases(subject), ...peopleCases(subject), ...sendingCases(subject) });
}
