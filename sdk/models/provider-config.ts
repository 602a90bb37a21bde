import { Type } from "typebox";

/** Keys of the file's root that the host and providers read, stated once. */
export const providerKeys = {
  default_provider: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "A provider's id or alias; for some an address stands behind it and a colon: custom:http://127.0.0.1:8080/v1.",
    }),
  ),
};
