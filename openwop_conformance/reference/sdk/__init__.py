"""The reference SDK, made of the modules beside this one."""
