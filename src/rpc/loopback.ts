/** This machine as a host of URLs: nobody else can make a browser go there by name. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']
