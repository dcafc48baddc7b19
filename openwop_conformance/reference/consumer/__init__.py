"""The reference consumer: a headless client of surfaces, made of the modules beside this one."""
