import { defineErrors, usage } from "@gantry/sdk";

export const errors = defineErrors({
  NET_BAD_RANGE: usage(
    "security.blocked_ips holds `%s`, which is not a range: write an address or a CIDR range, as in 10.0.0.0/8.",
  ),
  NET_BAD_EXCEPTION: usage(
    "security.allowed_private_addresses holds `%s`, which %s: write an address that is your own, with or without a port, as in 127.0.0.1:5173.",
  ),
  NET_BAD_DOMAIN: usage(
    "security.allowed_domains holds `%s`, which is not a domain: write a name, as in example.com or *.example.com, without scheme, port or path.",
  ),
});
