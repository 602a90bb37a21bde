import { defineErrors, failed, policy, usage } from "@gantry/sdk";

export const errors = defineErrors({
  PERIPHERAL_CONFIG: usage("%s %s: %s."),
  PERIPHERAL_CONNECT: failed("Failed to connect to peripheral %s at %s: %s; %s."),
  GPIO_DENIED: failed("GPIO access denied: %s at %s may not be opened by this user; %s."),
  PERIPHERAL_UNKNOWN: failed("No line `%s` of `%s` is configured; there are: %s."),
  PERIPHERAL_CLOSED: failed("%s is not used any more, as the service is stopping: start it again."),
  PERIPHERAL_INPUT: policy(
    'The line %s of %s is an input, so nothing is written to it: only lines with direction = "out" are.',
  ),
  PERIPHERAL_STUCK: failed(
    "%s at %s did not take what was sent within %s s: check its power, its speed and its flow control.",
  ),
  PERIPHERAL_TEXT_AND_HEX: failed("Both text and hex are given: give what is to be sent in one of them."),
  PERIPHERAL_BAD_HEX: failed("`%s` is not hex: write two digits a byte, as in `01 03 ff`."),
});
