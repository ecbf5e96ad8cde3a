declare module "messages:*" {
  const messages: Record<string, unknown>;
  export default messages;
}
