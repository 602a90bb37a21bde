import type { ChannelPlatformSubject } from "./channel-platform/platform.ts";
import { deliveryCases } from "./channel-platform/delivery-cases.ts";
import { decisionCases } from "./channel-platform/decision-cases.ts";
import { frameCases } from "./channel-platform/frame-cases.ts";
import { kindCases } from "./channel-platform/kind-cases.ts";
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
  return cases({
    ...kindCases(subject),
    ...deliveryCases(subject),
    ...peopleCases(subject),
    ...decisionCases(subject),
    ...frameCases(subject),
    ...sendingCases(subject),
  });
}
