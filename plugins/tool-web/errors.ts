import { defineErrors, failed, policy } from "@gantry/sdk";

export const errors = defineErrors({
  WEB_NO_NET: policy(
    "No plugin opens addresses for tools, so none can be opened safely: list one, see `gantry plugins list`.",
  ),
  WEB_NOT_TEXT: failed(
    "%s is %s, which holds no text to read: download it with a command if that is allowed.",
  ),
  WEB_UNREADABLE: failed(
    "%s takes more than %s s and %s MiB to read, as pages do that are made to hold a reader up: try another address.",
  ),
  WEB_GARBLED: failed("What %s sent cannot be unpacked (%s): try another address."),
});
