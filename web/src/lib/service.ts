/** Let the browser keep our pages, so that they open without a network: where the address is secure. */
export function keepPages(): void {
  if (import.meta.env.PROD) void navigator.serviceWorker?.register("/service.js").catch(() => {});
}
