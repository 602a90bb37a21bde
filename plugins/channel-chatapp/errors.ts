import { defineErrors, failed, policy } from "@gantry/sdk";

export const errors = defineErrors({
  CHATAPP_VERIFY_TOKEN: policy(
    "The webhook verification failed by a token mismatch: make channels_config.chatapp.verify_token and the platform's setting the same.",
  ),
  CHATAPP_NO_CHALLENGE: failed(
    "The verification has no hub.challenge: the platform sends one with every verification.",
  ),
  CHATAPP_SIGNATURE: policy(
    "The signature in X-Hub-Signature-256 is missing or wrong: check the app secret on both sides.",
  ),
  CHATAPP_BAD_PAYLOAD: failed("The body is not a webhook payload: it must be a JSON object."),
  CHATAPP_FULL: failed("Too many messages wait for an answer: deliver again in %s s."),
  CHATAPP_NOT_KEPT: failed("Messages cannot be kept now, and the log says why: deliver again in %s s."),
  CHATAPP_API_401: failed(
    "API error: 401 (%s): the access token is invalid or expired; make a new one and set channels_config.chatapp.access_token.",
  ),
  CHATAPP_API_403: failed(
    "API error: 403 (%s): a permission is missing; check the business messaging permission, that the account is active and the number verified.",
  ),
  CHATAPP_NO_FILE: failed(
    "The platform took the file and gave no id for it: try it again, or send another kind of file.",
  ),
  CHATAPP_API: failed(
    "API error: %s (%s): check the recipient, the phone number id and the platform's status.",
  ),
});
